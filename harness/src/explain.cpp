#include "run_pair.hpp"

#include <isotick/harness/explain.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

using core::Result;

// Rows of part hashes are kept for all of them at once.
constexpr std::uint64_t kMostStates = 4096;

std::vector<std::string> differing_parts(const std::vector<std::string>& names,
                                         const std::vector<core::PartHash>& a,
                                         const std::vector<core::PartHash>& b) {
    std::vector<std::string> parts;
    const std::size_t count = std::min({names.size(), a.size(), b.size()});
    for (std::size_t i = 0; i < count; ++i) {
        if (a[i] != b[i]) {
            parts.push_back(names[i]);
        }
    }
    return parts;
}

Explanation from_divergence(const TrialResult& result) {
    const Divergence& divergence = *result.divergence;
    return {
        false,
        divergence.computed.ticks_done,
        divergence.recorded,
        divergence.computed.hash,
        divergence.computed.context,
        differing_parts(result.part_names, divergence.recorded_parts, divergence.computed.parts),
        {false, {}, "no run here comes to the recorded hash there"},
        false};
}

StateRange range_of(const Divergence& divergence) {
    const std::uint64_t last = divergence.computed.ticks_done;
    const std::uint64_t first = divergence.last_agreed ? *divergence.last_agreed + 1 : 0;
    return {std::max(first, last > kMostStates ? last - kMostStates : 0), last};
}

// Whether the trial was run up to a state that hashes so.
bool comes_to(const TrialResult& result, core::StateHash hash) {
    return !result.trace.empty() && result.trace.back().hash == hash;
}

}  // namespace

void confirm_divergence(TrialResult& result, const TrialResult& again) {
    const StateRecord& first = result.divergence->computed;
    const bool same = again.divergence &&
                      again.divergence->computed.ticks_done == first.ticks_done &&
                      again.divergence->computed.hash == first.hash;
    if (same) {
        return;
    }
    result.verdict = Verdict::nondeterministic;
    result.reason = "the same trial in a fresh process ";
    if (!again.divergence) {
        result.reason +=
            again.verdict == Verdict::identical
                ? "was identical"
                : "ended " + std::string(to_string(again.verdict)) + ": " + again.reason;
    } else if (again.divergence->computed.ticks_done == first.ticks_done) {
        result.reason += "diverged at the same tick with another hash, " +
                         to_string(again.divergence->computed.hash);
    } else {
        result.reason +=
            "diverged elsewhere, at " + describe_state(again.divergence->computed.ticks_done);
    }
}

Result<std::optional<Explanation>> find_parting(const StateSource& before, const StateSource& after,
                                                StateRange range, std::size_t most_fields) {
    TrialPlan first = before.plan;
    TrialPlan second = after.plan;
    for (TrialPlan* plan : {&first, &second}) {
        plan->dump.reset();
        plan->trace = range;
    }
    const auto runs = run_pair({first, *before.run}, {second, *after.run});
    if (!runs) {
        return tl::unexpected(runs.error());
    }
    const auto& [one, other] = *runs;
    if (!comes_to(one, before.hash) || !comes_to(other, after.hash) ||
        one.trace.size() != other.trace.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < one.trace.size(); ++i) {
        const StateRecord& a = one.trace[i];
        const StateRecord& b = other.trace[i];
        if (a.hash == b.hash) {
            continue;
        }
        Explanation found{true,   a.ticks_done, a.hash,
                          b.hash, b.context,    differing_parts(one.part_names, a.parts, b.parts),
                          {}};
        if (most_fields > 0) {
            auto fields = compare_states({first, before.run, a.hash}, {second, after.run, b.hash},
                                         a.ticks_done, most_fields);
            if (!fields) {
                return tl::unexpected(fields.error());
            }
            found.fields = *std::move(fields);
        }
        return found;
    }
    return std::nullopt;
}

Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                            const TrialRunner& run, const ExplainOptions& options) {
    const Divergence& divergence = *result.divergence;
    TrialPlan recorded = plan;
    recorded.schedule = Schedule::nominal();
    recorded.loop = {};
    recorded.without_inputs = false;
    const TrialRunner* recorded_side = options.recorded_side ? options.recorded_side : &run;
    const auto parting_from = [&](const TrialPlan& recorded_plan) {
        return find_parting({recorded_plan, recorded_side, divergence.recorded},
                            {plan, &run, divergence.computed.hash}, range_of(divergence),
                            options.most_fields);
    };
    auto found = parting_from(recorded);
    if (found && !*found && options.recorded_schedule) {
        recorded.schedule = *options.recorded_schedule;
        found = parting_from(recorded);
        if (found && *found) {
            (*found)->only_as_recorded = true;
        }
    }
    return std::move(found).map([&](std::optional<Explanation>&& parting) {
        return parting ? *std::move(parting) : from_divergence(result);
    });
}

}  // namespace isotick::harness
