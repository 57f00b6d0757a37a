#pragma once
// Shrinking: from a trial that fails to the plainest drive that still makes it fail.

#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace isotick::harness {

/// How a failing trial is shrunk.
struct ShrinkOptions {
    BranchRunner run;              ///< runs the candidates; empty: nothing is shrunk
    std::uint64_t most_ticks = 0;  ///< to spend; 0: kUsualShrinkReplays times those up to the
                                   ///< fault, and two more for each axis
    std::function<bool()> stop;    ///< asked before each candidate whether to stop; may be empty
};

inline constexpr std::uint64_t kUsualShrinkReplays = 20;

/// What a trial was before it was shrunk, and what that took.
struct Shrinking {
    Drive drive;                   ///< the original one
    std::string failed;            ///< `diverged at tick 17`, `crashed in step of tick 17`
    std::uint64_t ticks_done = 0;  ///< when it diverged; where it crashed, with the tick then
    std::uint64_t trials = 0;
    std::uint64_t ticks = 0;
    std::string unfinished;  ///< why there was more to try; empty: there was not
};

/// A trial that fails, shrunk.
struct ShrunkTrial {
    TrialPlan plan;  ///< the failing one's; with the smaller drive, if that is plainer to read
    Shrinking how;
};

/// Shrinks what drives `plan`, a trial that ended with `result`, of a session with `rate`: leaves
/// out axes, makes the others plainer, then shrinks the schedule. A candidate fails where it
/// diverges, or crashes in the same call, after as many steps or fewer. None where there is nothing
/// to shrink: the trial did neither, no frame was run, or it is driven as plainly as can be. Fails
/// where the loop is none.
[[nodiscard]] core::Result<std::optional<ShrunkTrial>> shrink(const TrialPlan& plan,
                                                              const TrialResult& result,
                                                              core::TickRate rate,
                                                              const ShrinkOptions& options);

}  // namespace isotick::harness
