#pragma once
// A trial, from the opening of its recording to its verdict.

#include "branch_point.hpp"

#include <isotick/harness/detail/worker/progress.hpp>
#include <isotick/harness/trial.hpp>

#include <optional>

namespace isotick::harness {

/// Runs `plan` once, waiting at `branch`. Throws what the harness itself does.
[[nodiscard]] TrialResult run_once(const TrialPlan& plan, const isotick_simulation_table& table,
                                   Progress& progress, const std::optional<BranchPoint>& branch);

}  // namespace isotick::harness
