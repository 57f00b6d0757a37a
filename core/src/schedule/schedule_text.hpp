#pragma once
// The pieces of a schedule's text form that stand outside Schedule itself.

#include <isotick/core/schedule_item.hpp>
#include <isotick/core/time.hpp>

#include <string>

namespace isotick::core {

/// `16.667ms`: exact, in the largest unit the duration reaches; zero is `0ms`.
[[nodiscard]] std::string to_string(FrameTime time);

/// One item in canonical form: `120x60hz`, `jitter(60hz, 3ms, seed=7)`.
[[nodiscard]] std::string to_string(const ScheduleItem& item);

}  // namespace isotick::core
