#pragma once
// From the axes of a failing trial to those that it needs, at values that are as plain as can be.

#include "search/shrink_trials.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/branch_runner.hpp>
#include <isotick/harness/trial.hpp>

namespace isotick::harness {

struct ShrunkAxes {
    Drive drive;
    ShrinkEffort effort;
};

/// Tries the schedule alone, then each axis alone under the nominal schedule. Leaves out one axis
/// after the other, and tries plainer values of those that are needed. What fails no later than
/// `result` did, and in the same way, is taken.
[[nodiscard]] ShrunkAxes shrink_axes(const TrialPlan& failing, const TrialResult& result,
                                     const BranchRunner& run, const ShrinkLimits& limits);

}  // namespace isotick::harness
