#pragma once
// Whether a simulation can be driven by a loop.

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <string>

namespace isotick::harness {

/// The loop of `options` for sessions with `rate`. Fails with `usage` where there is none, or where
/// it changes dt and the simulation of `table` does not declare that it accepts that.
[[nodiscard]] inline core::Result<core::Loop> fitting_loop(const isotick_simulation_table& table,
                                                           core::TickRate rate,
                                                           const core::LoopOptions& options) {
    const core::LoopInfo& info = core::info_of(options.kind);
    if (!info.constant_dt && (table.info->capabilities & ISOTICK_CHANGING_DT) == 0) {
        return core::fail(core::ErrorCode::usage,
                          "the loop " + std::string(info.name) + " changes dt, but " +
                              table.info->name + " does not declare that it accepts a changing dt");
    }
    auto loop = core::Loop::make(rate, options);
    return loop ? loop : core::fail(core::ErrorCode::usage, loop.error().message);
}

}  // namespace isotick::harness
