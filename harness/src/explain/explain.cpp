#include "../axes/axes.hpp"
#include "causes/odd_frames.hpp"
#include "causes/parting_back.hpp"
#include "differing_parts.hpp"
#include "peer_parting.hpp"
#include "run_pair.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain/explain.hpp>

#include <algorithm>

namespace isotick::harness {
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
    plan.dump.reset();
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
                                                std::size_t most_fields) {
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
    if (most_fields == 0) {
        return found;
    }
    return compare_states({before.plan, before.run, a.hash}, {after.plan, after.run, b.hash},
                          {a.ticks_done, a.ticks_done}, most_fields)
        .map([&](StateReport&& report) {
            found.fields = std::move(report.fields);
            found.phases = std::move(report.phases);
            return std::optional(std::move(found));
        });
}

// The diverged trial with all axes as usual, then, where it varies several, with each of them so.
std::vector<TrialPlan> without_axes(const TrialPlan& plan, const StateRecord& diverged) {
    TrialPlan usual = plan;
    usual.drive.axes.clear();
    usual.dump.reset();
    usual.watch.reset();
    std::vector<TrialPlan> plans{usual};
    for (std::size_t i = 0; plan.drive.axes.size() > 1 && i < plan.drive.axes.size(); ++i) {
        plans.push_back(usual);
        plans.back().drive.axes = plan.drive.axes;
        plans.back().drive.axes.erase(plans.back().drive.axes.begin() +
                                      static_cast<std::ptrdiff_t>(i));
    }
    const bool is_peer = have_course(plan.drive.axes);
    for (TrialPlan& one : plans) {  // a peer takes more steps to it than anybody else
        const bool alike = have_course(one.drive.axes) == is_peer;
        const std::uint64_t steps = alike ? diverged.steps : diverged.ticks_done;
        one.trace = StateRange{steps, steps};
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
    return run(without_axes(plan, divergence.computed), Isolation::forked)
        .map([&](const std::vector<TrialResult>& results) -> std::vector<AxisValue> {
            const auto comes_to_it = [&](const TrialResult& result) {
                return !result.trace.empty() && result.trace.back().hash == divergence.recorded;
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
std::string outcome(const TrialResult& result) {
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

void confirm_crash(TrialResult& result, const TrialResult& again) {
    if (again.verdict == Verdict::crashed) {
        return;
    }
    result.verdict = Verdict::nondeterministic;
    result.reason =
        "it crashed (" + result.reason + "); the same trial in a fresh process " +
        (again.divergence ? "diverged at " + describe_state(again.divergence->computed.ticks_done)
                          : outcome(again));
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
        result.reason += outcome(again);
    } else if (again.divergence->computed.ticks_done == first.ticks_done) {
        result.reason += "diverged at the same tick with another hash, " +
                         to_string(again.divergence->computed.hash);
    } else {
        result.reason += "diverged at " + describe_state(again.divergence->computed.ticks_done);
    }
}

Result<std::optional<Explanation>> find_parting(const StateSource& before, const StateSource& after,
                                                StateRange range, std::size_t most_fields) {
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
                return look_closely(before, after, runs, i, most_fields);
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
                                                     std::size_t most_fields) {
    Explanation found = from_divergence(result);
    const StateRecord& computed = result.divergence->computed;
    ISOTICK_TRY_ASSIGN(
        auto parting,
        compare_partings(before, after, {computed.ticks_done, computed.steps}, most_fields));
    if (!parting.parts.empty()) {
        found.parts = std::move(parting.parts);
    }
    found.recorded_side_runs = parting.fields.known || most_fields == 0;
    found.fields = std::move(parting.fields);
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
        plan.drive.loop.kind == core::LoopKind::reversible ? find_parting_back : find_parting;
    const auto parting_from = [&](const TrialPlan& recorded_plan) {
        if (have_course(plan.drive.axes)) {
            return find_peer_parting({recorded_plan, recorded_side, divergence.recorded},
                                     {plan, &run, divergence.computed.hash}, result,
                                     options.most_fields);
        }
        return find({recorded_plan, recorded_side, divergence.recorded},
                    {plan, &run, divergence.computed.hash}, range_of(divergence),
                    options.most_fields);
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
