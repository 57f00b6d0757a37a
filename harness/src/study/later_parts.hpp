#pragma once
// Which parts differ in the states after a divergence.

#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/trial_runner.hpp>

namespace isotick::harness {

/// Runs the diverged trial once more, on to the next state whose part hashes the recording has, and
/// fills in Explanation::later_parts. Does nothing where the parts are known, where there is only
/// one, where the trial goes back in time, or where it does not come to such a state. Requires
/// result.divergence.
[[nodiscard]] core::Result<void> find_later_parts(const TrialPlan& plan, const TrialResult& result,
                                                  const TrialRunner& run, Explanation& explanation);

/// Runs the diverged trial once more, some hundred states further than `explanation` says, and
/// fills in Explanation::part_history. It is compared with a run of the recorded side, in every
/// state; if no run here gives the recorded hashes, with the part hashes that the recording has.
/// With a run of the recorded side and known fields, fills in Explanation::impact, too: both sides
/// run twice more, to count the fields that differ in some states up to the last that differs.
/// Does nothing where the trial goes back in time or is nondeterministic, or where no part is seen
/// to differ.
[[nodiscard]] core::Result<void> find_part_history(const TrialPlan& plan, const TrialRunner& run,
                                                   const ExplainOptions& options,
                                                   Explanation& explanation);

}  // namespace isotick::harness
