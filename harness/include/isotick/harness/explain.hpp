#pragma once
// From a divergence that was seen to the tick that made it.

#include <isotick/core/result.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/harness/trial_runner.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// What is known about a divergence after both sides were run again up to it.
struct Explanation {
    /// The nominal schedule reproduces the recorded hashes here, so both sides can be looked at.
    bool recorded_side_runs = false;
    /// The first state that differs; earlier than the divergence where hashes are not stored for
    /// every tick. The recorded side's is what the nominal schedule computes.
    std::uint64_t ticks_done = 0;
    core::StateHash recorded;
    core::StateHash computed;
    FrameContext context;            ///< of the diverging trial at that tick
    std::vector<std::string> parts;  ///< names of those that differ, where that is known
};

/// Holds a diverged trial against the same trial in a fresh process: a result that is not the same
/// again becomes nondeterministic, with a reason. Requires result.divergence.
void confirm_divergence(TrialResult& result, const TrialResult& again);

/// Runs the diverged trial and the nominal schedule again over the ticks since they last agreed.
/// Falls back on what the divergence itself holds where the nominal schedule does not reproduce
/// the recording, or `plan` is nominal itself. Requires result.divergence.
[[nodiscard]] core::Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                                                const TrialRunner& run);

}  // namespace isotick::harness
