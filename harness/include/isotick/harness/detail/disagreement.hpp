#pragma once
// Two runs of one trial that come to different states: where they part, and in what.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// Two runs of one trial, run A and run B, that are not the same. Both were run here, so both
/// sides may be looked at; neither is the recorded one.
struct Disagreement {
    /// The first state in which the runs differ.
    std::uint64_t ticks_done = 0;
    core::StateHash a;
    core::StateHash b;
    std::optional<std::uint64_t> last_agreed{};  ///< ticks_done of the last state known to be equal
    std::vector<std::string> parts{};  ///< names of those that differ, where that is known
    FieldReport fields{};              ///< from run A to run B
    std::optional<Phases> phases{};    ///< where in that tick, if it is the first that differs
    /// How many more runs came to this state, those two among them, the two that were there before
    /// not. In fresh processes, but for the last four of twelve.
    std::uint64_t runs = 0;
    /// How many different states these came to. Below 2: they agreed again, and A is a run that was
    /// there before: the trial that diverged, or its confirmation.
    std::uint64_t outcomes = 0;
    std::uint64_t most_alike = 0;  ///< how many came to the state that most of them came to
    /// Where they agreed again: B is one of them, else the other run that was there before.
    bool b_is_further = false;
    /// The first write that two more runs do not share, `before` in one of them; none: untried.
    std::optional<PartingWrite> write{};
};

/// Runs a trial again, some times in fresh processes, at last in forked ones, to find the first
/// state in which two of its runs differ, and what differs there; up to `most_fields` fields of
/// each kind. `first` diverged and `again`, the same trial, ended otherwise. At most 12 runs, where
/// the trial is so seldom another that its runs agree again: then what the first two left
/// (TrialPlan::keep_diverged_state) is held against those. None where `again` did not come to a
/// state that can be held against the first, and no further run shows one. If two runs agreed on
/// the state before, eight more are watched for the write that made the difference. Fails only
/// where nothing could be run. `again_varies`: what must not matter and was varied in `again`
/// alone; every other run varies it too.
[[nodiscard]] core::Result<std::optional<Disagreement>> find_disagreement(
    const TrialPlan& plan, const TrialResult& first, const TrialResult& again,
    const TrialRunner& run, std::size_t most_fields,
    const std::vector<AxisValue>& again_varies = {});

}  // namespace isotick::harness
