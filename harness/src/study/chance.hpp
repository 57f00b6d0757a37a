#pragma once
// What differs from run to run by itself: the clock, random numbers, and what else a simulation may
// read that nobody records.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/system_reads.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace isotick::harness {

/// Sleeps until the next second where `began` is in this one.
void wait_for_another_second(std::chrono::system_clock::time_point began);

/// Whether both came to the same end.
[[nodiscard]] bool same(const TrialResult& a, const TrialResult& b);

/// Whether their traces are the same too.
[[nodiscard]] bool alike(const TrialResult& a, const TrialResult& b);

/// The plan, tracing that many states after the one that diverged in `result`. Where a run goes
/// wrong there may be few outcomes; some states later, chance has made more of them.
[[nodiscard]] TrialPlan looking_behind(TrialPlan plan, const TrialResult& result,
                                       std::uint64_t states);

/// Whether the trial has asked the system for that; false where there is no source.
[[nodiscard]] bool asked_for(std::optional<Source> source, const TrialResult& result);

/// What the trial varies of that which differs by itself, and that it has asked for.
[[nodiscard]] std::vector<AxisValue> chance_in(const TrialPlan& plan, const TrialResult& result);

/// What differs from run to run by itself, whatever the trial made of it.
[[nodiscard]] std::vector<SystemReads> reads_of_chance(const TrialResult& result);

/// Those reads that the axes change.
[[nodiscard]] std::vector<SystemReads> reads_of(const std::vector<AxisValue>& values,
                                                const TrialResult& result);

/// What a trial whose runs differ asked the system for, of what these axes change; of all that
/// differs by itself where there are none. Runs it once more where only a run with the axis tells,
/// and several times where it asked for random numbers from several places, to leave out those that
/// it does not depend on.
[[nodiscard]] core::Result<std::vector<SystemReads>> find_reads(const std::vector<AxisValue>& axes,
                                                                const TrialPlan& plan,
                                                                const TrialResult& result,
                                                                const TrialRunner& run);

/// Makes a diverged trial that such an axis provokes nondeterministic: that it was the same again
/// was luck, or the axis was held.
void judge_chance(const std::vector<AxisValue>& provoking, TrialResult& result);

/// Of runs that differ though nothing was varied: the axis that makes them so. With some value of
/// it, more runs are all alike, beside others that are not, and the trial has asked for what it
/// changes; so has a run with it, where no other can tell. More than one where it takes all of
/// them; none where it is something else, or that cannot be told. May wait for another second.
[[nodiscard]] core::Result<std::vector<AxisValue>> find_chance(const TrialPlan& plan,
                                                               const TrialResult& result,
                                                               const TrialRunner& run);

/// The same for an axis of memory (Axis::of_memory), which need not be asked for. Where none alone
/// makes runs alike: one that is applied to the process, together with one that differs by itself.
[[nodiscard]] core::Result<std::vector<AxisValue>> find_memory(const TrialPlan& plan,
                                                               const TrialResult& result,
                                                               const TrialRunner& run);

}  // namespace isotick::harness
