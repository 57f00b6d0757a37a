#pragma once
// Finds the shortest schedule with which a trial still fails.

#include "frame_runs.hpp"
#include "shrink_trials.hpp"

#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace isotick::harness {

// From the schedule of a failing trial to the shortest and plainest one that still fails.

/// Frames to be run once, never repeated.
struct ScheduleCandidate {
    FrameRuns runs;
    core::Tick until;  ///< a divergence after this tick does not count, so none need be run
    /// Numbers of leading frames, rising, that candidates to come are likely to share if this one
    /// fails: where a runner that can go on from there does well to keep a copy. A candidate's
    /// frames say best which of the copies are of any use to it.
    std::vector<std::uint64_t> checkpoints;
};

/// Runs a candidate. One that crashes or cannot be judged did not diverge; an error ends shrinking.
using ScheduleRunner = std::function<core::Result<RanCandidate>(const ScheduleCandidate&)>;

struct ScheduleToShrink {
    std::vector<core::FrameTime> frames;  ///< those of the failing trial; what comes later is cut
    core::Tick diverged_at;               ///< it falls into one of them
    ShrinkLoop loop;                      ///< of the failing trial and of all candidates
};

struct ShrunkSchedule {
    FrameRuns runs;           ///< one nominal run: the schedule does not matter
    core::Tick diverged_at;   ///< never later than in the original; falls into the last frame
    core::Schedule schedule;  ///< of `runs`
    ShrinkEffort effort;      ///< and whether anything was left to try
};

/// Shrinks what fails: a candidate does where it diverges at the original's tick or earlier.
///
/// First frames become nominal, which leaves all others at their ticks: what is not needed in front
/// of the first needed frame and behind the last, then between them, in steps that grow. A stretch
/// that is needed is tried as equal frames. Only then are frames left out and times made round.
/// Each of these comes once. Depends on nothing but its arguments and what the runner answers.
/// Fails where `original` makes no sense.
///
/// Order and reasons: Hypothesis (MacIver, Donaldson, "Test-Case Reduction via Test-Case
/// Generation", 2020): trivial values first, remember what was tried, no fixed point of passes.
[[nodiscard]] core::Result<ShrunkSchedule> shrink_schedule(const ScheduleToShrink& original,
                                                           const ScheduleRunner& run,
                                                           const ShrinkLimits& limits);

}  // namespace isotick::harness
