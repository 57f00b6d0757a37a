#pragma once
// What makes a trial fail whose runs are not all the same.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <optional>
#include <vector>

namespace isotick::harness {

struct FoundCause {
    std::vector<AxisValue> axes;       ///< none, with evidence: its frames alone; else: not found
    std::optional<Evidence> evidence;  ///< none: with these, all runs are alike
};

/// What differs from run to run by itself and makes this trial's runs differ (see find_chance);
/// else the least of what the trial varies, or of what memory holds, with which runs fail and
/// without which they do not; else what memory makes of it, where pinning that makes all runs
/// alike. `result` is one of its runs.
[[nodiscard]] core::Result<FoundCause> find_cause(const TrialPlan& plan, const TrialResult& result,
                                                  const TrialRunner& run);

/// For a plan that varies one axis and nothing else: the first of the axis's side effects
/// (side_effects) that makes runs fail by itself. None where none does, or the plan is another.
[[nodiscard]] core::Result<std::optional<FoundCause>> find_side_effect(const TrialPlan& plan,
                                                                       const TrialResult& result,
                                                                       const TrialRunner& run);

}  // namespace isotick::harness
