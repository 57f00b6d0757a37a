#pragma once
// Experiments: how often a trial fails with something, and how often without it.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// Whether this many failures with something, and this few without it or with a placebo, would
/// happen by chance less than once in 10,000 times (Fisher's exact test, one-sided): 8 of 8 against
/// 0 of 8 would, 7 of 8 against 0 of 8 would not.
[[nodiscard]] bool is_shown(const Evidence& evidence);

/// Runs the plans in mixed order, each in a fresh process, so that what changes with time, such as
/// a clock's phase, does not favor some of them. The results are in the order of `plans`.
[[nodiscard]] core::Result<std::vector<TrialResult>> run_mixed(const std::vector<TrialPlan>& plans,
                                                               const TrialRunner& run);

/// Runs trials that differ in their drives only, each in a fresh process, and counts those that
/// diverge. Earlier counts are reused: no question repeats runs that were made for another.
class Lab {
  public:
    /// Both must outlive it. `plan` says all but the drive.
    Lab(const TrialPlan& plan, const TrialRunner& run) : plan_(plan), run_(run) {}

    /// How many of at least `runs` trials fail, for each drive. Fails as the runner does.
    [[nodiscard]] core::Result<std::vector<FailedRuns>> count(const std::vector<Drive>& drives,
                                                              std::size_t runs);

    /// The evidence that trials fail with `with`, and not with `without` or a placebo; none where
    /// that is not shown. Runs as often as it takes to tell, and gives up early where it cannot.
    [[nodiscard]] core::Result<std::optional<Evidence>> compare(
        const Drive& with, const Drive& without,
        const std::optional<Drive>& placebo = std::nullopt);

  private:
    const TrialPlan& plan_;
    const TrialRunner& run_;
    std::map<std::string, FailedRuns> counted_;  // by the drive's text
};

}  // namespace isotick::harness
