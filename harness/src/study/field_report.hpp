#pragma once
// The fields in which the states of two runs differ.

#include <isotick/harness/detail/trial_runner.hpp>

#include <array>

namespace isotick::harness {

// Two trials whose results are held against each other.

/// A trial and what runs it.
struct PairSide {
    const TrialPlan& plan;
    const TrialRunner& run;
};

/// Runs both, in forked processes; at the same time where one runner runs both.
[[nodiscard]] core::Result<std::array<TrialResult, 2>> run_pair(const PairSide& a,
                                                                const PairSide& b);

}  // namespace isotick::harness
