#pragma once
// Where a trial's plan says that it ends, before its session does.

#include "frames/frame_driver.hpp"

#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

/// Whether nothing is wanted behind the tick under way, which was stepped by step number `steps`.
/// `session_ticks`: how many the session has, where that is known.
[[nodiscard]] bool is_last_wanted(const TrialPlan& plan, core::Tick tick, std::uint64_t steps,
                                  const FrameDriver& driver,
                                  std::optional<std::uint64_t> session_ticks);

/// Why no frame may follow, where a run has had all the frames that it may have; 0: see
/// TrialPlan::most_frames.
[[nodiscard]] std::optional<std::string> frames_used_up(std::uint64_t most_frames,
                                                        const TrialStatistics& so_far);

}  // namespace isotick::harness
