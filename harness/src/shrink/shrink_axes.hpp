#pragma once
// From the axes of a failing trial to those that it needs, at values that are as plain as can be.

#include "search/shrink_trials.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/branch_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <vector>

namespace isotick::harness {

struct ShrunkAxes {
    std::vector<AxisValue> axes;
    ShrinkEffort effort;
};

/// Leaves out one axis after the other, and tries plainer values of those that are needed. What
/// fails no later than `result` did, and in the same way, is taken. The schedule stays.
[[nodiscard]] ShrunkAxes shrink_axes(const TrialPlan& failing, const TrialResult& result,
                                     const BranchRunner& run, const ShrinkLimits& limits);

}  // namespace isotick::harness
