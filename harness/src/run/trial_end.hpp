#pragma once
// Why a trial ends: its plan says so, an error, or damage.

#include "frame_driver.hpp"

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

// Where a trial's plan says that it ends, before its session does.

/// Whether nothing is wanted behind the tick under way, which was stepped by step number `steps`.
/// `session_ticks`: how many the session has, where that is known.
[[nodiscard]] bool is_last_wanted(const TrialPlan& plan, core::Tick tick, std::uint64_t steps,
                                  const FrameDriver& driver,
                                  std::optional<std::uint64_t> session_ticks);

/// Why no frame may follow, where a run has had all the frames that it may have; 0: see
/// TrialPlan::most_frames.
[[nodiscard]] std::optional<std::string> frames_used_up(std::uint64_t most_frames,
                                                        const TrialStatistics& so_far);

// What an error, or damage, makes of a trial.

/// Ends a trial that was at `place` with the verdict that `error` stands for.
void end_with(const core::Error& error, const Place& place, TrialResult& result);

/// Ends a trial for which this machine lacks something: that is no verdict on the simulation.
void end_with_shortage(core::Error shortage, TrialResult& result);

/// Ends a trial where its recording is damaged, unless it diverged before, and notes where the
/// recording has no end.
void note_end_of(const replay::Reader& reader, TrialResult& result);

// Whether a simulation can be driven by a loop.

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
