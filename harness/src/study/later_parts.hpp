#pragma once
// Which parts differ, of a divergence at a state whose part hashes are not stored.

#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/trial_runner.hpp>

namespace isotick::harness {

/// Runs the diverged trial once more, on to the next state whose part hashes the recording has, and
/// fills in Explanation::later_parts. Does nothing where the parts are known, where there is only
/// one, where the trial goes back in time, or where it does not come to such a state. Requires
/// result.divergence.
[[nodiscard]] core::Result<void> find_later_parts(const TrialPlan& plan, const TrialResult& result,
                                                  const TrialRunner& run, Explanation& explanation);

}  // namespace isotick::harness
