#pragma once
// A trial, from the opening of its recording to its verdict.

#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace isotick::harness {

// Where a trial under way waits, so that others can go on from there.

/// A frame before which a trial waits. Simulations that queue calls do not wait, nor do
/// trials of a course.
struct BranchPoint {
    /// How a trial goes on: with a plan that is the same up to here (none: its own), and where it
    /// waits next.
    struct Way {
        std::optional<TrialPlan> plan;
        std::optional<std::uint64_t> wait_before;  ///< number of a later frame
    };

    std::uint64_t before_frame = 0;
    /// Returns in a copy of the process for each trial that goes on from here; none: the trial goes
    /// on as it was, since its process cannot be copied.
    std::function<std::optional<Way>(const TrialStatistics& so_far)> wait;
    /// Called with the result, before the simulation is destroyed: in a copy of the process,
    /// nothing has to be. May be empty.
    std::function<void(TrialResult& result)> ended{};
};

/// run_trial, waiting on its way. A trial that ends before its branch point ends as it would.
[[nodiscard]] TrialResult run_branching_trial(const TrialPlan& plan,
                                              const isotick_simulation_table& table,
                                              Progress& progress, const BranchPoint& branch);

}  // namespace isotick::harness
