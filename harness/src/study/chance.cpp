#include "chance.hpp"

#include "../axes/axes.hpp"
#include "experiment.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using SystemClock = std::chrono::system_clock;

constexpr std::size_t kPinned = 10;  // with the same clock, or the same random numbers
constexpr std::size_t kPinnedRounds = 3;
constexpr std::uint64_t kStatesBehind = 1024;  // the first that diverged
constexpr std::size_t kWithoutHeld = 4;        // runs without what the trial holds
constexpr std::size_t kLeftAsUsual = 4;        // runs with a place left as usual
constexpr std::uint64_t kNoPlace = 1;          // a placebo

auto second_of(SystemClock::time_point time) {
    return std::chrono::floor<std::chrono::seconds>(time);
}

// How many of them are not like most are.
FailedRuns odd_ones(std::span<const TrialResult> results) {
    std::size_t most = 0;
    for (const TrialResult& one : results) {
        const auto like_it = std::ranges::count_if(
            results, [&](const TrialResult& other) { return alike(one, other); });
        most = std::max(most, static_cast<std::size_t>(like_it));
    }
    return {results.size() - most, results.size()};
}

// Most values make no two runs alike that are not without.
Result<bool> may_be_alike_with(const std::vector<AxisValue>& axes, TrialPlan plan,
                               const TrialRunner& run) {
    plan.drive.axes.insert(plan.drive.axes.end(), axes.begin(), axes.end());
    return run(std::vector<TrialPlan>(2, plan), Isolation::fresh)
        .map([](const std::vector<TrialResult>& two) {
            return !two.front().refused && alike(two.front(), two.back());
        });
}

// Whether runs are all alike with those values, and differ so often without that this is not
// chance. Runs that depend on the second of the clock are alike either way until it changes: then
// there are more rounds.
Result<bool> are_alike_with(const std::vector<AxisValue>& axes, const TrialPlan& plan,
                            const TrialRunner& run) {
    ISOTICK_TRY_ASSIGN(const bool may_be, may_be_alike_with(axes, plan, run));
    if (!may_be) {
        return false;
    }
    TrialPlan pinned_plan = plan;
    pinned_plan.drive.axes.insert(pinned_plan.drive.axes.end(), axes.begin(), axes.end());
    std::vector<TrialPlan> plans;
    for (std::size_t i = 0; i < kPinned; ++i) {
        plans.push_back(pinned_plan);
        plans.push_back(plan);
    }
    std::vector<TrialResult> pinned;
    std::vector<TrialResult> free;
    SystemClock::time_point began;
    for (std::size_t round = 0; round < kPinnedRounds; ++round) {
        if (round > 0) {
            wait_for_another_second(began);
        }
        began = SystemClock::now();
        ISOTICK_TRY_ASSIGN(auto more, run(plans, Isolation::fresh));
        for (std::size_t i = 0; i < more.size(); ++i) {
            (i % 2 == 0 ? pinned : free).push_back(std::move(more[i]));
        }
        const FailedRuns odd = odd_ones(pinned);
        if (odd.failed > 0) {
            return false;
        }
        if (is_shown({odd_ones(free), odd})) {
            return true;
        }
    }
    return false;
}

TrialPlan unkept(TrialPlan plan) {
    plan.keep_diverged_state = false;
    return plan;
}

// Adds each value of a chance axis in the trial's own drive without which runs differ.
Result<std::vector<AxisValue>> with_what_is_held(std::vector<AxisValue> axes, const TrialPlan& plan,
                                                 const TrialRunner& run) {
    const std::vector<AxisValue> found = axes;
    for (const AxisValue& held : plan.drive.axes) {
        const Axis* axis = find_axis(held.axis);
        if (axis == nullptr || !axis->by_chance) {
            continue;
        }
        TrialPlan without = plan;
        std::erase(without.drive.axes, held);
        without.drive.axes.insert(without.drive.axes.end(), found.begin(), found.end());
        ISOTICK_TRY_ASSIGN(const auto runs,
                           run(std::vector<TrialPlan>(kWithoutHeld, without), Isolation::fresh));
        if (odd_ones(runs).failed > 0) {
            axes.push_back(held);
        }
    }
    return axes;
}

// The first with which all runs are alike; none: there is none.
Result<std::vector<AxisValue>> first_alike(const std::vector<std::vector<AxisValue>>& tries,
                                           const TrialPlan& plan, const TrialRunner& run) {
    for (const std::vector<AxisValue>& axes : tries) {
        ISOTICK_TRY_ASSIGN(const bool found, are_alike_with(axes, plan, run));
        if (found) {
            return with_what_is_held(axes, plan, run);
        }
    }
    return std::vector<AxisValue>();
}

// Whether the trial asks for what the axis changes, where only a run with it can tell.
Result<bool> asks_when_tried(const Axis& axis, const AxisValue& value, TrialPlan plan,
                             const TrialRunner& run) {
    if (!axis.source_seen_only_with_it || !why_not_here(value).empty()) {
        return false;
    }
    plan.drive.axes.push_back(value);
    return run({&plan, 1}, Isolation::fresh).map([&](const std::vector<TrialResult>& results) {
        return asked_for(axis.source, results.front());
    });
}

// Values that pin what differs from run to run, of the axes that the trial asks for and does not
// vary.
Result<std::vector<AxisValue>> suspects_of(const TrialPlan& plan, const TrialResult& result,
                                           const TrialRunner& run) {
    Drive at_first;  // an axis that starts later does not matter until then
    at_first.axes = applied_in(plan.drive.axes, 0);
    std::vector<AxisValue> suspects;
    for (const Axis* axis : axes()) {
        if (!axis->by_chance || at_first.varies(axis->name)) {
            continue;
        }
        const AxisValue value{std::string(axis->name), std::string(axis->elsewhere.front())};
        ISOTICK_TRY_ASSIGN(const bool asks, asks_when_tried(*axis, value, plan, run));
        if (asks || asked_for(axis->source, result)) {
            suspects.push_back(value);
        }
    }
    return suspects;
}

// Of several places that asked for random numbers, keeps those that the trial depends on: runs of
// the plan are alike, but with such a place left as usual some differ. Without any, keeps all.
Result<std::vector<SystemReads>> that_matter(std::vector<SystemReads> reads, TrialPlan plan,
                                             const TrialRunner& run) {
    const auto chance = std::ranges::find(reads, Source::chance, &SystemReads::source);
    if (chance == reads.end() || chance->first.size() < 2) {
        return reads;
    }
    plan.usual_place = kNoPlace;
    std::vector<TrialPlan> plans(2, plan);
    for (const SystemCall& call : chance->first) {
        plan.usual_place = call.from;
        plans.insert(plans.end(), kLeftAsUsual, plan);
    }
    ISOTICK_TRY_ASSIGN(const auto results, run(plans, Isolation::fresh));
    const auto is_other = [&](const TrialResult& one) { return !alike(one, results.front()); };
    std::vector<SystemCall> found;
    auto next = results.begin() + 2;
    for (const SystemCall& call : chance->first) {
        if (std::any_of(next, next + kLeftAsUsual, is_other)) {
            found.push_back(call);
        }
        next += kLeftAsUsual;
    }
    if (!found.empty() && !is_other(results[1])) {
        chance->first = std::move(found);
    }
    return reads;
}

}  // namespace

void wait_for_another_second(SystemClock::time_point began) {
    if (second_of(began) == second_of(SystemClock::now())) {
        std::this_thread::sleep_until(second_of(began) + std::chrono::seconds(1));
    }
}

TrialPlan looking_behind(TrialPlan plan, const TrialResult& result, std::uint64_t states) {
    const std::uint64_t steps = result.divergence ? result.divergence->computed.steps : 0;
    plan.trace = StateRange{steps, steps + states};
    return plan;
}

bool alike(const TrialResult& a, const TrialResult& b) {
    return same(a, b) &&
           std::ranges::equal(a.trace, b.trace, {}, &StateRecord::hash, &StateRecord::hash);
}

bool same(const TrialResult& a, const TrialResult& b) {
    if (a.divergence && b.divergence) {
        return a.divergence->computed.ticks_done == b.divergence->computed.ticks_done &&
               a.divergence->computed.hash == b.divergence->computed.hash;
    }
    return !a.divergence && !b.divergence && a.verdict == b.verdict;
}

bool asked_for(std::optional<Source> source, const TrialResult& result) {
    return source &&
           std::ranges::find(result.reads, *source, &SystemReads::source) != result.reads.end();
}

std::vector<AxisValue> chance_in(const TrialPlan& plan, const TrialResult& result) {
    std::vector<AxisValue> found = plan.drive.axes;
    std::erase_if(found, [&](const AxisValue& value) {
        const Axis* axis = find_axis(value.axis);
        return axis == nullptr || !axis->by_chance || !asked_for(axis->source, result);
    });
    return found;
}

std::vector<SystemReads> reads_of_chance(const TrialResult& result) {
    std::vector<SystemReads> reads = result.reads;
    std::erase_if(reads, [](const SystemReads& one) {
        return one.source != Source::clock && one.source != Source::chance &&
               one.source != Source::process;
    });
    return reads;
}

std::vector<SystemReads> reads_of(const std::vector<AxisValue>& values, const TrialResult& result) {
    std::vector<SystemReads> reads;
    for (const AxisValue& value : values) {
        const Axis* axis = find_axis(value.axis);
        for (const SystemReads& one : result.reads) {
            if (axis != nullptr && axis->source == one.source) {
                reads.push_back(one);
            }
        }
    }
    return reads;
}

Result<std::vector<SystemReads>> find_reads(const std::vector<AxisValue>& axes,
                                            const TrialPlan& plan, const TrialResult& result,
                                            const TrialRunner& run) {
    const Axis* axis = axes.size() == 1 ? find_axis(axes.front().axis) : nullptr;
    if (axes.empty()) {
        return reads_of_chance(result);
    }
    TrialPlan with = plan;
    for (const AxisValue& value : axes) {
        if (std::ranges::find(with.drive.axes, value) == with.drive.axes.end()) {
            with.drive.axes.push_back(value);
        }
    }
    if (axis == nullptr || !axis->source_seen_only_with_it) {
        return that_matter(reads_of(axes, result),
                           unkept(looking_behind(with, result, kStatesBehind)), run);
    }
    return run({&with, 1}, Isolation::fresh).map([&](const std::vector<TrialResult>& results) {
        return reads_of(axes, results.front());
    });
}

void judge_chance(const std::vector<AxisValue>& provoking, TrialResult& result) {
    for (const AxisValue& value : provoking) {
        const Axis* axis = find_axis(value.axis);
        if (result.verdict == Verdict::diverged && axis != nullptr && axis->by_chance) {
            result.verdict = Verdict::nondeterministic;
            result.reason = "it depends on " + std::string(axis->stands_for) +
                            ", which is not recorded and differs from run to run";
        }
    }
}

Result<std::vector<AxisValue>> find_chance(const TrialPlan& plan, const TrialResult& result,
                                           const TrialRunner& run) {
    ISOTICK_TRY_ASSIGN(const auto suspects, suspects_of(plan, result, run));
    std::vector<std::vector<AxisValue>> tries;
    for (const AxisValue& suspect : suspects) {
        tries.push_back({suspect});
    }
    if (suspects.size() > 1) {
        tries.push_back(suspects);
    }
    return first_alike(tries, unkept(looking_behind(plan, result, kStatesBehind)), run);
}

Result<std::vector<AxisValue>> find_memory(const TrialPlan& plan, const TrialResult& result,
                                           const TrialRunner& run) {
    const TrialPlan looking = unkept(looking_behind(plan, result, kStatesBehind));
    std::vector<std::vector<AxisValue>> tries;
    Drive tried = plan.drive;  // one value of each axis is enough
    for (const AxisValue& value : memory_values(result.capabilities)) {
        if (!tried.varies(value.axis)) {
            tried.axes.push_back(value);
            tries.push_back({value});
        }
    }
    ISOTICK_TRY_ASSIGN(auto found, first_alike(tries, looking, run));
    if (!found.empty()) {
        return found;
    }
    // An interpreter whose hashes are random also allocates at random.
    ISOTICK_TRY_ASSIGN(const auto suspects, suspects_of(plan, result, run));
    std::vector<std::vector<AxisValue>> pairs;
    for (const std::vector<AxisValue>& one : tries) {
        for (const AxisValue& suspect : suspects) {
            if (is_of_process(one.front().axis)) {
                pairs.push_back({one.front(), suspect});
            }
        }
    }
    return first_alike(pairs, looking, run);
}

}  // namespace isotick::harness
