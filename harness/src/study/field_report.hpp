#pragma once
// Two trials whose results are held against each other.

#include <isotick/harness/detail/trial_runner.hpp>

#include <array>

namespace isotick::harness {

/// A trial and what runs it.
struct PairSide {
    const TrialPlan& plan;
    const TrialRunner& run;
};

/// Runs both, in forked processes; at the same time where one runner runs both.
[[nodiscard]] core::Result<std::array<TrialResult, 2>> run_pair(const PairSide& a,
                                                                const PairSide& b);

}  // namespace isotick::harness
