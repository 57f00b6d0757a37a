#pragma once
// The pieces of a schedule's text form that stand outside Schedule itself.

#include <isotick/core/time.hpp>
#include <isotick/harness/schedule_item.hpp>

#include <string>

namespace isotick::harness {

/// `16.667ms`: exact, in the largest unit the duration reaches; zero is `0ms`.
[[nodiscard]] std::string to_string(core::FrameTime time);

/// One item in canonical form: `120x60hz`, `jitter(60hz, 3ms, seed=7)`.
[[nodiscard]] std::string to_string(const ScheduleItem& item);

}  // namespace isotick::harness
