#include <isotick/harness/explain.hpp>

#include <algorithm>
#include <array>

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
        differing_parts(result.part_names, divergence.recorded_parts, divergence.computed.parts)};
}

StateRange range_of(const Divergence& divergence) {
    const std::uint64_t last = divergence.computed.ticks_done;
    const std::uint64_t first = divergence.last_agreed ? *divergence.last_agreed + 1 : 0;
    return {std::max(first, last > kMostStates ? last - kMostStates : 0), last};
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

Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                            const TrialRunner& run) {
    const Divergence& divergence = *result.divergence;
    TrialPlan diverging = plan;
    diverging.trace = range_of(divergence);
    TrialPlan nominal = diverging;
    nominal.schedule = Schedule::nominal();
    nominal.loop = {};
    nominal.without_inputs = false;
    const auto runs = run(std::array{nominal, diverging}, Isolation::forked);
    if (!runs) {
        return tl::unexpected(runs.error());
    }
    const std::vector<StateRecord>& recorded = runs->front().trace;
    const std::vector<StateRecord>& computed = runs->back().trace;
    if (recorded.empty() || recorded.size() != computed.size() ||
        recorded.back().hash != divergence.recorded) {
        return from_divergence(result);
    }
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        if (recorded[i].hash != computed[i].hash) {
            return Explanation{
                true,
                computed[i].ticks_done,
                recorded[i].hash,
                computed[i].hash,
                computed[i].context,
                differing_parts(result.part_names, recorded[i].parts, computed[i].parts)};
        }
    }
    return from_divergence(result);
}

}  // namespace isotick::harness
