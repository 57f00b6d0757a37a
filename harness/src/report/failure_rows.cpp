#include "failure_rows.hpp"

#include "../axes/axes.hpp"
#include "../study/explain.hpp"
#include "../system/rows.hpp"
#include "field_rows.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/disagreement.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {

// Where in its tick a state first differs, in words.

/// The rows of a report about it; `parts` are those that differ at the tick's end. Empty where the
/// tick names no checkpoints.
[[nodiscard]] std::string phase_rows(const std::optional<Phases>& phases,
                                     const std::vector<std::string>& parts);

std::string phase_rows(const std::optional<Phases>& phases, const std::vector<std::string>& parts) {
    if (!phases) {
        return "";
    }
    const bool is_narrower = !phases->parts.empty() && phases->parts != parts;
    return row("phase", to_string(*phases)) +
           (is_narrower ? row("", "there it differs in " + core::joined(phases->parts)) : "");
}

// Two runs of one trial that part, in words.

/// The rows of a report about where the runs part, and in what. `result` is the trial's first
/// run, `more` says how to see fields that are not listed.
[[nodiscard]] std::string disagreement_rows(const Disagreement& found, const TrialResult& result,
                                            std::string_view more);

namespace {

// Of the further runs those behind so many are forked.
constexpr std::uint64_t kFresh = 8;

// Which runs A and B are, and what the others came to.
std::string runs_text(const Disagreement& found) {
    const std::string first_two = "A and B are the two runs that differed";
    if (found.outcomes == 0) {
        return first_two;
    }
    const std::string more = counted(found.runs, "more run") +
                             (found.runs > kFresh ? " in other processes" : " in fresh processes");
    if (found.b_is_further) {
        return fmt::format("A came first; B is one of {}, which agreed with one another", more);
    }
    if (found.outcomes == 1) {
        return fmt::format("{}; {} agreed with one another", first_two, more);
    }
    if (found.outcomes == found.runs) {
        return fmt::format("A and B are two of {}; all gave different states", more);
    }
    return fmt::format(
        "A and B are two of {}, which gave {} different states, {} of them the same one", more,
        found.outcomes, found.most_alike);
}

}  // namespace

std::string disagreement_rows(const Disagreement& found, const TrialResult& result,
                              std::string_view more) {
    const Divergence& divergence = *result.divergence;
    std::string text = divergence.computed.ticks_done == found.ticks_done
                           ? row("recorded", to_string(divergence.recorded))
                           : "";
    text += row("run A", to_string(found.a));
    text += row("run B", to_string(found.b));
    text += row("differs in", found.parts.empty() ? "the parts of one run are unknown"
                                                  : core::joined(found.parts));
    text += row("agreed to",
                found.last_agreed ? describe_state(*found.last_agreed) : std::string("none"));
    text += phase_rows(found.phases, found.parts);
    text += row("runs", runs_text(found));
    return text + field_rows(found.fields, "run A → run B", more);
}

// A nominal replay that fails, in words: what is to blame, or what is left that may be.

/// The rows of a report on why the nominal trial fails. Says no more than was found out: a cause
/// where one is known, else what was ruled out, and what is possible.
[[nodiscard]] std::string nominal_rows(const replay::RecordingHead& head,
                                       const Explanation& explanation);

namespace {

// How the recording says that it was driven; empty: nominally.
std::string drive_of(const core::Settings& notes) {
    const auto schedule = notes.find(kScheduleNote);
    const auto loop = notes.find(kLoopNote);
    std::string text =
        schedule ? "the schedule it was recorded under, " + std::string(*schedule) : std::string();
    if (loop) {
        text += (schedule ? ", and its loop, " : "the loop it was recorded under, ") +
                std::string(*loop);
    }
    return text;
}

// A cause that is known; else empty.
std::string cause(const replay::RecordingHead& head, const Explanation& explanation,
                  const NominalFindings& findings) {
    const std::string drive = drive_of(head.notes);
    if (explanation.only_as_recorded) {
        return drive + ": only that one reproduces it here";
    }
    if (explanation.recorded_side_runs) {  // by a build that was named
        return "the build: the other build reproduces the recorded hash here, under the same "
               "schedule";
    }
    if (findings.recorded_again == RecordedAgain::as_before_by_bot) {
        return "propose_input changes the state: recording again here gives the recorded hash only "
               "if the bot is asked for inputs";
    }
    if (findings.recorded_again != RecordedAgain::as_before) {
        return "";
    }
    return drive.empty() ? "recording and replaying differ: recording the same inputs again here "
                           "gives the recorded hash"
                         : drive + ": recording that way again gives the recorded hash";
}

std::vector<std::string> ruled_out(const NominalFindings& findings) {
    std::vector<std::string> things;
    if (findings.fresh_processes > 0) {
        things.push_back(fmt::format("chance (the same in {})",
                                     counted(findings.fresh_processes, "fresh process")));
    }
    for (const AxisValue& varied : findings.varied) {
        const std::string thing(find_axis(varied.axis)->stands_for);
        if (std::ranges::find(things, thing) == things.end()) {
            things.push_back(thing);
        }
    }
    if (findings.another_second) {
        things.emplace_back("the time of day (another second)");
    }
    if (findings.recorded_again == RecordedAgain::as_replayed) {
        things.emplace_back("recording itself (recording again here gives the same hash)");
    }
    if (findings.same_build) {
        things.emplace_back("another build (both name the same)");
    }
    return things;
}

std::vector<std::string> possible(const replay::RecordingHead& head, const Explanation& explanation,
                                  const NominalFindings& findings) {
    std::vector<std::string> things;
    if (!findings.same_build) {
        things.emplace_back(explanation.ticks_done == 0
                                ? "another build: other initial values, or members added or removed"
                                : "another build of the simulation");
    }
    things.emplace_back("another machine, or other libraries");
    things.emplace_back("other environment settings than in the recording");
    if (const std::string drive = drive_of(head.notes); !drive.empty()) {
        things.push_back(drive);
    }
    if (explanation.ticks_done > 0) {
        things.emplace_back(
            "a live game that changed its state without inputs: a loaded snapshot, an incomplete "
            "rollback");
    }
    if (findings.varied.empty() || !findings.another_second) {
        things.emplace_back("uninitialized memory, or a clock");
    }
    return things;
}

}  // namespace

std::string nominal_rows(const replay::RecordingHead& head, const Explanation& explanation) {
    const NominalFindings findings = explanation.nominal.value_or(NominalFindings());
    if (const std::string known = cause(head, explanation, findings); !known.empty()) {
        return row("cause", known);
    }
    std::string text = row("cause", "unknown, but not a schedule: the nominal one fails too");
    text += row("ruled out", core::joined(ruled_out(findings)));
    const char* name = "possible";
    for (const std::string& thing : possible(head, explanation, findings)) {
        text += row(name, thing);
        name = "";
    }
    return text;
}

// What provoked a divergence, in words.

/// The frames that provoked it, where it shows, what came before that, and whether a loop had gone
/// back in time. `rate` is the session's. `plainest`: every frame that is not nominal is needed.
[[nodiscard]] std::string provocation_rows(const Explanation& explanation, core::TickRate rate,
                                           bool plainest);

namespace {

// The frame in which the tick fell that came out wrong.
std::string own_frame(const FrameContext& context) {
    const std::string ticks = context.ticks_in_frame == 1
                                  ? std::string("one tick, this one")
                                  : fmt::format("{} ticks, this one as number {}",
                                                context.ticks_in_frame, context.tick_in_frame + 1);
    return fmt::format("frame {}, which took {} and held {}", context.frame,
                       to_string(context.frame_time), ticks);
}

std::string what_it_did(const OddFrames& frames) {
    if (frames.back > 0) {
        return "went back " + counted(frames.back, "tick");
    }
    return frames.ticks == 0   ? "held no tick"
           : frames.ticks == 1 ? "held one tick"
                               : "held " + counted(frames.ticks, "tick");
}

bool holds(const OddFrames& frames, std::uint64_t frame) {
    return frame >= frames.first && frame - frames.first < frames.count;
}

std::string text_of(const OddFrames& frames, const FrameContext& context) {
    if (frames.count == 1) {
        return holds(frames, context.frame)
                   ? own_frame(context)
                   : fmt::format("frame {}, which took {} and {}", frames.first,
                                 to_string(frames.frame_time), what_it_did(frames));
    }
    return fmt::format("frames {} to {}, which took {} each and {} together", frames.first,
                       frames.first + frames.count - 1, to_string(frames.frame_time),
                       what_it_did(frames));
}

std::string odd_rows(const std::vector<OddFrames>& odd, const FrameContext& context,
                     bool plainest) {
    std::string text;
    for (const OddFrames& frames : odd) {
        text += row(text.empty() ? "provoked by"
                    : plainest   ? "and"
                                 : "or",
                    text_of(frames, context));
    }
    const bool shows_later = !holds(odd.back(), context.frame) || odd.back().count > 1;
    return text + (shows_later ? row("shows in", own_frame(context)) : "");
}

std::string frame_rows(const Explanation& explanation, core::TickRate rate, bool plainest) {
    const FrameContext& context = explanation.context;
    if (explanation.provoking && !explanation.provoking->empty()) {
        return odd_rows(*explanation.provoking, context, plainest);
    }
    if (explanation.provoking) {  // not by any frame, but by what the loop makes of them
        return row("provoked by", own_frame(context));
    }
    return is_nominal_time(context.frame_time, rate)
               ? row("provoked by", "an earlier frame") + row("shows in", own_frame(context))
               : row("provoked by", own_frame(context) + "; or an earlier one");
}

std::string what_came_before(const FrameContext& context) {
    if (context.tick_in_frame > 0) {
        return "";
    }
    const std::string idle =
        context.idle_frames == 0 ? "" : counted(context.idle_frames, "frame") + " without a tick; ";
    const double alpha = static_cast<double>(static_cast<int>(context.last_alpha * 1000)) / 1000;
    // Cut, not rounded: alpha is below 1.
    return fmt::format("{}the frame before was rendered at alpha {:.3f}", idle, alpha);
}

// Where nothing but going back can have provoked it, what came in between has left something.
std::string rerun_rows(const Explanation& explanation) {
    if (!explanation.rerun) {
        return "";
    }
    const std::string later = describe_state(explanation.rerun->back_from);
    const std::string here = describe_state(explanation.ticks_done);
    const auto& odd = explanation.provoking;
    const bool only_back =
        odd && std::ranges::all_of(*odd, [](const OddFrames& frames) { return frames.back > 0; });
    return only_back
               ? row("leak", fmt::format("of {}, in {}, whose first run was as recorded: load does "
                                         "not undo everything",
                                         later, here))
               : row("run again",
                     fmt::format(
                         "the first run of {} was as recorded; then the loop went back from {}",
                         here, later));
}

}  // namespace

std::string provocation_rows(const Explanation& explanation, core::TickRate rate, bool plainest) {
    if (explanation.ticks_done == 0) {
        return row("provoked by", "nothing ran yet: the initial state itself differs");
    }
    return frame_rows(explanation, rate, plainest) +
           (explanation.ticks_done > 1 ? row("before it", what_came_before(explanation.context))
                                       : "") +
           rerun_rows(explanation);
}

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
    if (const auto& later = explanation.later_parts) {
        return (later->parts.empty() ? "none" : core::joined(later->parts)) + " at " +
               describe_state(later->ticks_done) + ", the next one with stored part hashes";
    }
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
    const auto& diverged = known.disagreement;
    const std::uint64_t ticks_done = diverged ? diverged->ticks_done : known.ticks_done;
    const auto& agreed = diverged ? diverged->last_agreed : result.divergence->last_agreed;
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
