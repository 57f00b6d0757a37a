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

namespace isotick::harness {

/// Whether so many failures with something, and so few without it or with a placebo, come about by
/// chance less than once in 10,000 times (Fisher's exact test, one-sided): 8 of 8 against 0 of 8
/// do, 7 of 8 against 0 of 8 do not.
[[nodiscard]] bool is_shown(const Evidence& evidence);

/// Runs trials that differ in their drives only, each in a fresh process, and counts those that
/// diverge. What it has counted before counts again: no question pays for what another has run.
class Lab {
  public:
    /// Both must outlive it. `plan` says all but the drive.
    Lab(const TrialPlan& plan, const TrialRunner& run) : plan_(plan), run_(run) {}

    /// Of at least `runs` of them. Fails as the runner does.
    [[nodiscard]] core::Result<FailedRuns> count(const Drive& drive, std::size_t runs);

    /// Whether `with` makes it fail and `without` does not, nor a placebo, if there is one; none:
    /// that is not shown. Runs as often as it takes to tell, and gives up early where it cannot be.
    [[nodiscard]] core::Result<std::optional<Evidence>> compare(
        const Drive& with, const Drive& without,
        const std::optional<Drive>& placebo = std::nullopt);

  private:
    const TrialPlan& plan_;
    const TrialRunner& run_;
    std::map<std::string, FailedRuns> counted_;  // by the drive's text
};

}  // namespace isotick::harness
