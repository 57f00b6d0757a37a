#include "failure_rows.hpp"

#include "../../axes/axes.hpp"
#include "../axis_rows.hpp"
#include "../rows.hpp"
#include "asked_rows.hpp"
#include "disagreement_rows.hpp"
#include "field_rows.hpp"
#include "nominal_rows.hpp"
#include "phase_rows.hpp"
#include "provocation_rows.hpp"

#include <isotick/core/detail/text/joined.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

std::string agreement(const TrialResult& result, const Explanation& explanation) {
    if (explanation.last_agreed) {
        return describe_state(*explanation.last_agreed) +
               (*explanation.last_agreed >= explanation.ticks_done ? ", then the loop went back"
                                                                   : "");
    }
    if (explanation.recorded_side_runs && explanation.ticks_done > 0) {
        return describe_state(explanation.ticks_done - 1);
    }
    const auto& agreed = result.divergence->last_agreed;
    return agreed ? describe_state(*agreed) : "none";
}

// Which parts differ, or why that is not known.
std::string parts_text(const TrialResult& result, const Explanation& explanation) {
    return explanation.parts.empty() && result.divergence->recorded_parts.empty()
               ? "unknown: the recording has no part hashes for this state"
               : core::joined(explanation.parts);
}

// What makes runs differ: what the trial varies makes them fail more often, all else is another in
// each run by itself.
std::string chance_rows(const TrialPlan& plan, const Explanation& explanation) {
    const bool is_varied =
        std::ranges::any_of(explanation.provoking_axes, [&plan](const AxisValue& value) {
            const Axis* axis = find_axis(value.axis);
            return plan.drive.varies(value.axis) && axis != nullptr && !axis->by_chance;
        });
    return cause_row(explanation.provoking_axes,
                     is_varied ? ": most runs with it go wrong, and none without" : kByChance) +
           asked_rows(explanation.reads);
}

std::string divergence_rows(const replay::RecordingHead& head, const TrialPlan& plan,
                            const TrialResult& result, const std::optional<Explanation>& known,
                            const ReportWords& words) {
    if (known && known->disagreement) {
        return chance_rows(plan, *known) +
               disagreement_rows(*known->disagreement, result, words.more_fields);
    }
    const Explanation explanation = known ? *known : from_divergence(result);
    std::string text;
    text += row("recorded", to_string(explanation.recorded));
    text += row("computed", to_string(explanation.computed));
    text += row("differs in", parts_text(result, explanation));
    text += row("agreed to", agreement(result, explanation));
    text += phase_rows(explanation.phases, explanation.parts);
    if (result.verdict == Verdict::nondeterministic && explanation.provoking_axes.empty()) {
        return text;
    }
    if (result.verdict == Verdict::nondeterministic) {
        text += chance_rows(plan, explanation);
    } else if (known) {
        text += row("cause", axis_cause(plan.drive.axes, explanation.provoking_axes));
        text += asked_rows(explanation.reads);
        text += leak_row(explanation.provoking_axes, describe_state(explanation.ticks_done));
    }
    if (plan.drive.has_nominal_frames()) {
        text += plan.drive.axes.empty() ? nominal_rows(head, explanation) : "";
    } else {
        if (!core::info_of(plan.drive.loop.kind).constant_dt) {
            text += row("cause", "the loop: it changes dt, and the simulation's bits with it");
        }
        text += provocation_rows(explanation, head.session.rate, words.plainest);
        if (known && !explanation.recorded_side_runs) {
            text += row("unknown",
                        "the nominal schedule does not reproduce the recording here either, so the "
                        "parts of the recorded side are unknown");
        }
    }
    text += field_rows(explanation.fields,
                       explanation.rerun ? "first run → this one" : "recorded → computed",
                       words.more_fields);
    const bool other_build = !explanation.recorded_side_runs && !explanation.fields.unknown.empty();
    return text + (other_build ? row("", words.recorded_side) : "");
}

std::string joined_axes(const std::vector<AxisValue>& values) {
    std::vector<std::string> texts;
    for (const AxisValue& value : values) {
        texts.push_back(to_string(value));
    }
    return core::joined(texts);
}

}  // namespace

std::string shrinking_text(const Shrinking& shrinking, const Drive& drive) {
    constexpr std::size_t kMostShown = 100;
    const std::string trials = counted(shrinking.trials, "trial");
    if (drive == shrinking.drive) {
        return fmt::format("no, after {}: {}", trials,
                           shrinking.unfinished.empty() ? "nothing simpler was found to fail"
                                                        : shrinking.unfinished);
    }
    std::string original = shrinking.drive.schedule.to_string();
    if (original.size() > kMostShown) {
        original.replace(kMostShown, std::string::npos, " …");
    }
    if (drive.axes != shrinking.drive.axes) {
        original += " with " + joined_axes(shrinking.drive.axes);
    }
    return fmt::format(
        "in {} from {}, which {}{}", trials, original, shrinking.failed,
        shrinking.unfinished.empty() ? "" : "; stopped early: " + shrinking.unfinished);
}

std::string when(const TrialResult& result, const std::optional<Explanation>& explanation) {
    const Explanation known = explanation ? *explanation : from_divergence(result);
    const auto& parted = known.disagreement;
    const std::uint64_t ticks_done = parted ? parted->ticks_done : known.ticks_done;
    const auto& agreed = parted ? parted->last_agreed : result.divergence->last_agreed;
    std::string text = describe_state(ticks_done);
    if (!known.recorded_side_runs && agreed && *agreed + 1 < ticks_done) {
        text += fmt::format(" (hashes agreed up to {}; none is stored between)",
                            describe_state(*agreed));
    }
    return text;
}

std::string failure_rows(const replay::RecordingHead& head, const TrialPlan& plan,
                         const TrialResult& result, const std::optional<Explanation>& explanation,
                         const ReportWords& words) {
    if (result.verdict == Verdict::unreadable) {
        return row("reason", result.reason);
    }
    std::string text = trial_axis_rows(plan, head);
    if (result.divergence) {
        text += divergence_rows(head, plan, result, explanation, words);
    }
    text += result.verdict == Verdict::diverged ? row("confirmed", words.confirmed)
                                                : row("reason", result.reason);
    if (plan.drive.loop != core::LoopOptions()) {
        text += row("loop", to_string(plan.drive.loop));
    }
    text += row("schedule", plan.drive.schedule.to_string());
    text += row("shrunk", words.shrunk);
    text += row("reproduce", words.reproduce);
    return text;
}

}  // namespace isotick::harness
