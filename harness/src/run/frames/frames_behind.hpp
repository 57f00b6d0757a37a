#pragma once
// Where a schedule goes on.

#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::harness {

/// The frame times of `schedule` behind its first `count`. At once where those are nominal and
/// followed by others without end, as where a trial begins in the middle.
[[nodiscard]] core::FrameSource frames_behind(const core::Schedule& schedule, std::uint64_t count,
                                              core::TickRate rate);

}  // namespace isotick::harness
