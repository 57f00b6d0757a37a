#pragma once
// Runs trials that start the same way, and their common part only once.

#include <isotick/harness/detail/trial_runner.hpp>

namespace isotick::harness {

// The axis `reload`: a process that runs a session up to some tick and saves, and then another that
// goes on from there.

/// A runner that has `leave` run, before those of `run`, the trials that leave the snapshots which
/// they begin from. A trial ends as the one that was to leave its snapshot where that one failed.
[[nodiscard]] TrialRunner with_left_snapshots(TrialRunner run, TrialRunner leave);

/// The same for trials one by one.
[[nodiscard]] BranchRunner with_left_snapshots(BranchRunner run, TrialRunner leave);

}  // namespace isotick::harness
