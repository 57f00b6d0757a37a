#pragma once
// Whether a simulation may be stepped by a dt that is not the constant one.

#include <isotick/core/detail/time/tick_dt.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

namespace isotick::core {

/// Succeeds if `dt` is the constant one, or the simulation declares that it accepts a changing dt
/// (ISOTICK_CHANGING_DT). Fails with `usage`, naming `tick`.
[[nodiscard]] Result<void> check_dt(const isotick_info& info, Tick tick, TickDt dt,
                                    TickDt constant);

}  // namespace isotick::core
