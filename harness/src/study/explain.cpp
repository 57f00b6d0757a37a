#include "explain.hpp"

#include "../axes/axes.hpp"
#include "../run/verdict.hpp"
#include "../system/site_names.hpp"
#include "draws.hpp"
#include "field_report.hpp"
#include "parting_write.hpp"
#include "shrink_trials.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostGroups = 3;

// As rates that are no whole number of nanoseconds have it.
bool nearly_equal(core::FrameTime a, core::FrameTime b) {
    return a == b ||
           (a < b ? b.nanoseconds - 1 == a.nanoseconds : a.nanoseconds - 1 == b.nanoseconds);
}

bool goes_on(const OddFrames& group, std::uint64_t frame, core::FrameTime time) {
    return group.first + group.count == frame && nearly_equal(group.frame_time, time);
}

}  // namespace

bool is_nominal_time(core::FrameTime time, core::TickRate rate) {
    const std::int64_t tick = rate.time_of(1);
    return time.nanoseconds == tick || time.nanoseconds == tick + 1;
}

std::optional<std::vector<OddFrames>> provoking_frames(const TrialPlan& plan, std::uint64_t last) {
    const auto reader = replay::Reader::open(plan.recording);
    if (!reader) {
        return std::nullopt;
    }
    const core::TickRate rate = reader->head().session.rate;
    auto loop = core::Loop::make(rate, plan.drive.loop);
    if (!loop) {
        return std::nullopt;
    }
    core::FrameSource frames = plan.drive.schedule.frames(rate);
    std::vector<OddFrames> odd;
    for (std::uint64_t frame = 0; frame <= last; ++frame) {
        const core::FrameTime time = frames.next();
        const core::HostFrame host = loop->advance(time);
        if (is_nominal_time(time, rate)) {
            continue;
        }
        if (odd.empty() || !goes_on(odd.back(), frame, time)) {
            if (odd.size() == kMostGroups) {
                return std::nullopt;
            }
            odd.push_back({frame, 0, time});
        }
        ++odd.back().count;
        odd.back().ticks += host.plan.ticks;
        odd.back().back += host.back;
    }
    return odd;
}

namespace {

constexpr std::uint64_t kFramesBefore = 150;
constexpr std::uint64_t kMostFramesBefore = 400;
constexpr std::uint64_t kFramesAfter = 5;
constexpr std::uint64_t kFramesBeforeProvoking = 10;

// The one that takes step number `step`. The trial came that far, so there is one.
std::uint64_t frame_of(core::FrameSource frames, core::Loop loop, std::uint64_t step) {
    std::uint64_t frame = 0;
    for (std::uint64_t steps = loop.advance(frames.next()).plan.ticks; steps <= step; ++frame) {
        steps += loop.advance(frames.next()).plan.ticks;
    }
    return frame;
}

// Of those from `first` to `last` that begin before the session has all its ticks.
FrameList list_frames(core::FrameSource frames, core::Loop loop, StateRange range,
                      std::uint64_t ticks) {
    FrameList list;
    std::uint64_t done = 0;
    for (std::uint64_t frame = 0; frame <= range.last && done < ticks; ++frame) {
        const core::FrameTime time = frames.next();
        const core::HostFrame host = loop.advance(time);
        done = done + host.plan.ticks - std::min(done, host.back);
        if (frame >= range.first) {
            list.times.push_back(time);
            list.ticks.push_back(host.plan.ticks);
        }
    }
    return list;
}

}  // namespace

std::optional<FramesAround> frames_around(const FailedTrial& failure, core::TickRate rate,
                                          std::uint64_t ticks) {
    const Drive& drive = failure.plan.drive;
    const auto& divergence = failure.result.divergence;
    const auto& known = failure.explanation;
    const auto step = failed_step(failure.result);
    const auto loop = core::Loop::make(rate, drive.loop);
    const auto nominal = core::Loop::make(rate);
    if (drive.has_nominal_frames() || have_course(drive.axes) || !step || !loop || !nominal) {
        return std::nullopt;
    }
    FramesAround around;
    around.failed = divergence && known ? known->context.frame
                    : divergence        ? divergence->computed.context.frame
                                        : frame_of(drive.schedule.frames(rate), *loop, step->value);
    const std::uint64_t done = known        ? known->ticks_done
                               : divergence ? divergence->computed.ticks_done
                                            : 0;
    around.tick =
        divergence ? done - std::min<std::uint64_t>(done, 1) : failure.result.failed_in->tick.value;
    const auto before = [](std::uint64_t frame, std::uint64_t count) {
        return frame - std::min(frame, count);
    };
    const std::uint64_t provoking = known && known->provoking && !known->provoking->empty()
                                        ? known->provoking->front().first
                                        : around.failed;
    around.first = std::max(
        before(around.failed, kMostFramesBefore),
        std::min(before(around.failed, kFramesBefore), before(provoking, kFramesBeforeProvoking)));
    const StateRange range{around.first, around.failed + kFramesAfter};
    around.fails = list_frames(drive.schedule.frames(rate), *loop, range, ticks);
    around.nominal = list_frames(core::Schedule::nominal().frames(rate), *nominal, range, ticks);
    return around;
}

// Where a trial whose loop goes back in time parts from the nominal one.

/// As find_divergence, where the loop of `after` goes back in time and that of `before` does not:
/// each state of `after`, of so many steps as `range` says, is held against the one that `before`
/// has after as many ticks.
[[nodiscard]] core::Result<std::optional<Explanation>> find_parting_back(
    const StateSource& before, const StateSource& after, StateRange range,
    const ExplainOptions& options);

namespace {

using core::Result;
using Trace = std::vector<StateRecord>;

constexpr std::uint64_t kMostPartedStates = 4096;  // whose part hashes are kept at once

Result<TrialResult> run_parts_over(const StateSource& source, StateRange range) {
    TrialPlan plan = source.plan;
    plan.dumps.clear();
    plan.trace = range;
    return (*source.run)(std::array{plan}, Isolation::forked)
        .map([](std::vector<TrialResult>&& results) { return std::move(results.front()); });
}

// From the fewest ticks to the most.
StateRange ticks_of(const Trace& trace) {
    const auto [least, most] = std::ranges::minmax(trace, {}, &StateRecord::ticks_done);
    return {least.ticks_done, most.ticks_done};
}

/// Two runs, and which states of theirs are the same ticks'.
struct Runs {
    TrialResult before;
    TrialResult after;

    [[nodiscard]] const StateRecord* counterpart(const StateRecord& state) const {
        const std::uint64_t first = before.trace.empty() ? 0 : before.trace.front().ticks_done;
        return state.ticks_done < first || state.ticks_done - first >= before.trace.size()
                   ? nullptr
                   : &before.trace[state.ticks_done - first];
    }
};

// What made the two states differ.
Result<void> find_code(const StateSource& before, const StateSource& after,
                       const StepsToStates& steps, const ExplainOptions& options,
                       Explanation& found) {
    ISOTICK_TRY_ASSIGN(found.write, find_parting_write(before, after, steps));
    if (!options.draws_of.empty()) {
        ISOTICK_TRY_ASSIGN(found.draws, find_draws(before, after, steps, options.draws_of));
    }
    return {};
}

// What differs in the two states, and what made it differ.
Result<void> compare_sides(const StateSource& before, const StateSource& after,
                           const StepsToStates& steps, const ExplainOptions& options,
                           Explanation& found) {
    ISOTICK_TRY_ASSIGN(auto report, compare_states(before, after, steps, options.most_fields));
    found.fields = std::move(report.fields);
    found.phases = std::move(report.phases);
    return find_code(before, after, steps, options, found);
}

/// Looks for the first state that differs, window by window.
class BackSearch {
  public:
    BackSearch(const StateSource& before, const StateSource& after, const ExplainOptions& options)
        : before_(before), after_(after), options_(options) {}

    Result<std::optional<Explanation>> find(StateRange range) {
        for (std::uint64_t first = range.first; first <= range.last; first += kMostPartedStates) {
            const std::uint64_t last = std::min(range.last, first + kMostPartedStates - 1);
            ISOTICK_TRY_ASSIGN(const auto runs, run({first, last}));
            if (runs.after.trace.empty() || (last == range.last && !come_to_their_hashes(runs))) {
                return std::nullopt;
            }
            for (const StateRecord& state : runs.after.trace) {
                const StateRecord* recorded = runs.counterpart(state);
                if (recorded == nullptr) {
                    return std::nullopt;
                }
                if (recorded->hash != state.hash) {
                    return describe(runs, *recorded, state);
                }
                agreed_ = state.ticks_done;
            }
        }
        return std::nullopt;
    }

  private:
    // One after the other: which ticks the first comes by is not known before.
    [[nodiscard]] Result<Runs> run(StateRange window) const {
        auto after = run_parts_over(after_, window);
        if (!after || after->trace.empty()) {
            return std::move(after).map([](TrialResult&& run) { return Runs{{}, std::move(run)}; });
        }
        return run_parts_over(before_, ticks_of(after->trace)).map([&after](TrialResult&& before) {
            return Runs{std::move(before), *std::move(after)};
        });
    }

    [[nodiscard]] bool come_to_their_hashes(const Runs& runs) const {
        const StateRecord& last = runs.after.trace.back();
        const StateRecord* recorded = runs.counterpart(last);
        return last.hash == after_.hash && recorded != nullptr && recorded->hash == before_.hash;
    }

    Result<std::optional<Explanation>> describe(const Runs& runs, const StateRecord& recorded,
                                                const StateRecord& state) const {
        Explanation found;
        found.recorded_side_runs = true;
        found.ticks_done = state.ticks_done;
        found.recorded = recorded.hash;
        found.computed = state.hash;
        found.context = state.context;
        found.parts = differing_parts({runs.before.part_names, recorded.parts},
                                      {runs.after.part_names, state.parts});
        found.rerun = state.rerun;
        found.last_agreed = agreed_;
        if (options_.most_fields == 0) {
            return found;
        }
        // Where it was there before it was as recorded, else it would have diverged then.
        const StateSource first{state.rerun ? after_.plan : before_.plan,
                                state.rerun ? after_.run : before_.run, recorded.hash};
        const StepsToStates steps{state.rerun ? state.rerun->first_steps : state.ticks_done,
                                  state.steps};
        ISOTICK_TRY(
            compare_sides(first, {after_.plan, after_.run, state.hash}, steps, options_, found));
        return found;
    }

    const StateSource& before_;
    const StateSource& after_;
    const ExplainOptions& options_;
    std::optional<std::uint64_t> agreed_;  // ticks_done of the last state that was looked at
};

}  // namespace

Result<std::optional<Explanation>> find_parting_back(const StateSource& before,
                                                     const StateSource& after, StateRange range,
                                                     const ExplainOptions& options) {
    return BackSearch(before, after, options).find(range);
}

core::Result<DifferingState> compare_partings(const StateSource& before, const StateSource& after,
                                              const StepsToStates& steps, std::size_t most) {
    TrialPlan first = before.plan;
    TrialPlan second = after.plan;
    first.hashes.reset();
    second.hashes.reset();
    first.trace = StateRange{steps.before, steps.before};
    second.trace = StateRange{steps.after, steps.after};
    ISOTICK_TRY_ASSIGN(const auto runs, run_pair({first, *before.run}, {second, *after.run}));
    DifferingState difference;
    const auto& [a, b] = runs;
    if (!a.trace.empty() && !b.trace.empty()) {
        difference.parts = differing_parts({a.part_names, a.trace.back().parts},
                                           {b.part_names, b.trace.back().parts});
    }
    if (most > 0) {
        ISOTICK_TRY_ASSIGN(auto report, compare_states(before, after, steps, most));
        difference.fields = std::move(report.fields);
    }
    return difference;
}

namespace {

using core::Result;

// Rows of part hashes are kept for so many at once.
constexpr std::uint64_t kMostStates = 4096;

StateRange range_of(const Divergence& divergence) {
    const auto& agreed = divergence.last_agreed_steps;
    return {agreed ? *agreed + 1 : 0, divergence.computed.steps};
}

using Pair = std::array<TrialResult, 2>;

TrialPlan tracing(const StateSource& source, StateRange range) {
    TrialPlan plan = source.plan;
    plan.dumps.clear();
    plan.trace = range;
    return plan;
}

Result<Pair> run_over(const StateSource& before, const StateSource& after, StateRange range) {
    const TrialPlan first = tracing(before, range);
    const TrialPlan second = tracing(after, range);
    return run_pair({first, *before.run}, {second, *after.run});
}

// Whether both were run up to a state that hashes as it must.
bool come_to(const Pair& runs, const StateSource& before, const StateSource& after) {
    const auto comes_to = [](const TrialResult& result, core::StateHash hash) {
        return !result.trace.empty() && result.trace.back().hash == hash;
    };
    return comes_to(runs.front(), before.hash) && comes_to(runs.back(), after.hash);
}

// The states number `index` of both traces are the first that differ.
Result<std::optional<Explanation>> look_closely(const StateSource& before, const StateSource& after,
                                                const Pair& runs, std::size_t index,
                                                const ExplainOptions& options) {
    const StateRecord& a = runs.front().trace[index];
    const StateRecord& b = runs.back().trace[index];
    Explanation found{
        true,
        a.ticks_done,
        a.hash,
        b.hash,
        b.context,
        differing_parts({runs.front().part_names, a.parts}, {runs.back().part_names, b.parts}),
        {},
        {},
        false};
    if (options.most_fields == 0) {
        return found;
    }
    ISOTICK_TRY(compare_sides({before.plan, before.run, a.hash}, {after.plan, after.run, b.hash},
                              {a.ticks_done, a.ticks_done}, options, found));
    return found;
}

// The diverged trial with all axes as usual, then, where it varies several, with each of them so.
std::vector<TrialPlan> without_axes(const TrialPlan& plan, const StateRecord& diverged) {
    TrialPlan usual = plan;
    usual.drive.axes.clear();
    usual.dumps.clear();
    usual.watch.reset();
    std::vector<TrialPlan> plans{usual};
    for (std::size_t i = 0; plan.drive.axes.size() > 1 && i < plan.drive.axes.size(); ++i) {
        plans.push_back(usual);
        plans.back().drive.axes = plan.drive.axes;
        plans.back().drive.axes.erase(plans.back().drive.axes.begin() +
                                      static_cast<std::ptrdiff_t>(i));
    }
    const bool is_peer = have_course(plan.drive.axes);
    for (TrialPlan& one : plans) {  // up to that state, hashed as often as ever
        if (have_course(one.drive.axes) || is_peer) {
            one.until = core::Tick{std::max<std::uint64_t>(diverged.ticks_done, 1) - 1};
        } else {
            one.most_steps = std::max<std::uint64_t>(diverged.steps, 1);
        }
        one.keep_diverged_state = false;
    }
    return plans;
}

// The axes without any of which, or without all of which, the trial comes to the recorded hash.
Result<std::vector<AxisValue>> provoking_axes(const TrialPlan& plan, const Divergence& divergence,
                                              const TrialRunner& run) {
    const std::vector<AxisValue>& varied = plan.drive.axes;
    if (varied.empty()) {
        return varied;
    }
    return run(without_axes(plan, divergence.computed), Isolation::fresh)
        .map([&](const std::vector<TrialResult>& results) -> std::vector<AxisValue> {
            const auto comes_to_it = [](const TrialResult& result) {
                return result.verdict == Verdict::identical;
            };
            if (!comes_to_it(results.front())) {
                return {};
            }
            std::vector<AxisValue> needed;
            for (std::size_t i = 1; i < results.size(); ++i) {
                if (comes_to_it(results[i])) {
                    needed.push_back(varied[i - 1]);
                }
            }
            return needed.empty() ? varied : needed;
        });
}

// How a trial without a divergence ended.
std::string how_it_ended(const TrialResult& result) {
    return result.verdict == Verdict::identical
               ? "was identical"
               : "ended " + std::string(to_string(result.verdict)) + ": " + result.reason;
}

}  // namespace

Explanation from_divergence(const TrialResult& result) {
    const Divergence& divergence = *result.divergence;
    const std::vector<std::string>& names = result.part_names;
    return {false,
            divergence.computed.ticks_done,
            divergence.recorded,
            divergence.computed.hash,
            divergence.computed.context,
            names.size() == 1 ? names
                              : differing_parts({names, divergence.recorded_parts},
                                                {names, divergence.computed.parts}),
            {},
            {},
            false};
}

std::vector<CodePlace> last_code(const TrialResult& result) {
    return code_of(result.stack, kMostFunctions);
}

void confirm_crash(TrialResult& result, const TrialResult& again) {
    if (again.verdict == Verdict::crashed) {
        return;
    }
    result.verdict = Verdict::nondeterministic;
    result.reason =
        "it crashed (" + result.reason + "); the same trial in a fresh process " +
        (again.divergence ? "diverged at " + describe_state(again.divergence->computed.ticks_done)
                          : how_it_ended(again));
}

void confirm_divergence(TrialResult& result, const TrialResult& again, std::string_view where) {
    const StateRecord& first = result.divergence->computed;
    const bool same = again.divergence && again.divergence->computed.steps == first.steps &&
                      again.divergence->computed.hash == first.hash;
    if (same) {
        return;
    }
    result.verdict = Verdict::nondeterministic;
    result.reason = "it diverged at " + describe_state(first.ticks_done) + "; the same trial " +
                    std::string(where) + " ";
    if (!again.divergence) {
        result.reason += how_it_ended(again);
    } else if (again.divergence->computed.ticks_done == first.ticks_done) {
        result.reason += "diverged at the same tick with another hash, " +
                         to_string(again.divergence->computed.hash);
    } else {
        result.reason += "diverged at " + describe_state(again.divergence->computed.ticks_done);
    }
}

Result<std::optional<Explanation>> find_divergence(const StateSource& before,
                                                   const StateSource& after, StateRange range,
                                                   const ExplainOptions& options) {
    if (range.last - range.first >= kMostStates) {  // is it worth looking in all of them?
        ISOTICK_TRY_ASSIGN(const auto ends, run_over(before, after, {range.last, range.last}));
        if (!come_to(ends, before, after)) {
            return std::nullopt;
        }
    }
    for (std::uint64_t first = range.first; first <= range.last; first += kMostStates) {
        const StateRange window{first, std::min(range.last, first + kMostStates - 1)};
        ISOTICK_TRY_ASSIGN(const auto runs, run_over(before, after, window));
        const auto& [one, other] = runs;
        if (one.trace.size() != other.trace.size() ||
            (window.last == range.last && !come_to(runs, before, after))) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < one.trace.size(); ++i) {
            if (one.trace[i].hash != other.trace[i].hash) {
                return look_closely(before, after, runs, i, options);
            }
        }
    }
    return std::nullopt;
}

namespace {

// Of a peer's divergence: its hash was compared wherever it had the last word.
Result<std::optional<Explanation>> find_peer_parting(const StateSource& before,
                                                     const StateSource& after,
                                                     const TrialResult& result,
                                                     const ExplainOptions& options) {
    Explanation found = from_divergence(result);
    const StateRecord& computed = result.divergence->computed;
    const StepsToStates steps{computed.ticks_done, computed.steps};
    ISOTICK_TRY_ASSIGN(auto difference,
                       compare_partings(before, after, steps, options.most_fields));
    if (!difference.parts.empty()) {
        found.parts = std::move(difference.parts);
    }
    found.recorded_side_runs = difference.fields.known || options.most_fields == 0;
    found.fields = std::move(difference.fields);
    if (found.recorded_side_runs && options.most_fields > 0) {
        ISOTICK_TRY(find_code(before, after, steps, options, found));
    }
    return found;
}

}  // namespace

Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                            const TrialRunner& run, const ExplainOptions& options) {
    const Divergence& divergence = *result.divergence;
    TrialPlan recorded = plan;
    recorded.drive = {};
    recorded.inputs.clear();
    const TrialRunner* recorded_side = options.recorded_side ? options.recorded_side : &run;
    const auto find =
        plan.drive.loop.kind == core::LoopKind::reversible ? find_parting_back : find_divergence;
    const auto parting_from = [&](const TrialPlan& recorded_plan) {
        if (have_course(plan.drive.axes)) {
            return find_peer_parting({recorded_plan, recorded_side, divergence.recorded},
                                     {plan, &run, divergence.computed.hash}, result, options);
        }
        return find({recorded_plan, recorded_side, divergence.recorded},
                    {plan, &run, divergence.computed.hash}, range_of(divergence), options);
    };
    auto found = parting_from(recorded);
    if (found && !*found && options.recorded_schedule) {
        recorded.drive.schedule = *options.recorded_schedule;
        found = parting_from(recorded);
        if (found && *found) {
            (*found)->only_as_recorded = true;
        }
    }
    if (!found) {
        return tl::unexpected(found.error());
    }
    Explanation explanation = *found ? **std::move(found) : from_divergence(result);
    if (!*found) {
        explanation.fields.unknown = "no run here gives the recorded hash there";
    }
    explanation.provoking = provoking_frames(plan, explanation.context.frame);
    if (plan.drive.loop.kind == core::LoopKind::reversible && !explanation.last_agreed) {
        explanation.last_agreed = divergence.last_agreed;
    }
    return provoking_axes(plan, divergence, run).map([&](std::vector<AxisValue>&& provoking) {
        explanation.provoking_axes = std::move(provoking);
        return std::move(explanation);
    });
}

Result<Explanation> explain_disagreement(const TrialPlan& plan, const TrialResult& result,
                                         const TrialResult& again, const TrialRunner& run,
                                         const ExplainOptions& options,
                                         const std::vector<AxisValue>& again_varies) {
    return find_disagreement(plan, result, again, run, options.most_fields, again_varies)
        .map([&](std::optional<Disagreement>&& found) {
            Explanation explanation = from_divergence(result);
            explanation.provoking_axes = again_varies;
            explanation.disagreement = std::move(found);
            return explanation;
        });
}

}  // namespace isotick::harness
