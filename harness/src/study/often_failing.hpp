#pragma once
// A trial that fails in some runs, and not in others: by what?

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <vector>

namespace isotick::harness {

/// The axes of the trial that it takes to fail more often than not, or one that does so alone and
/// is more basic (more_basic in axes.hpp). None where it fails without any axis, too, or not often
/// enough to tell. Runs it eight times for each that it varies, and more.
[[nodiscard]] core::Result<std::vector<AxisValue>> axes_of_often_failing(const TrialPlan& plan,
                                                                         const TrialRunner& run);

}  // namespace isotick::harness
