#include "failure_rows.hpp"

#include "../axes/axes.hpp"
#include "../study/explain.hpp"
#include "../system/rows.hpp"
#include "../system/site_names.hpp"
#include "code_rows.hpp"
#include "field_rows.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/disagreement.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

/// One trial that failed, and all that is known about it.
struct ShownFailure {
    const replay::RecordingHead& head;
    const TrialPlan& plan;
    const TrialResult& result;
    const Explanation& known;
    bool explained;  ///< else `known` is what the divergence says by itself
    const PageWords& words;
};

/// Why it failed, and what that means in the simulation's code.
struct Cause {
    std::string why;
    std::string look_at{};
    std::string ruled_out{};
};

// When.

std::string point(const std::optional<PhasePoint>& point, const char* none) {
    return !point              ? none
           : point->number > 0 ? fmt::format("\"{}\" number {}", point->name, point->number)
                               : fmt::format("\"{}\"", point->name);
}

// Where in the tick, which names checkpoints.
std::string phase_text(const Phases& phases) {
    if (!phases.unknown.empty()) {
        return "at an unknown point of it: " + phases.unknown;
    }
    if (phases.forks) {
        return fmt::format("after {} one run goes on to {}, the other to {}",
                           point(phases.after, "its beginning"), point(phases.before, "its end"),
                           point(phases.other, "its end"));
    }
    if (!phases.after) {
        return "before its first checkpoint, " + point(phases.before, "its end");
    }
    return !phases.before ? "after its last checkpoint, " + point(phases.after, "")
                          : fmt::format("between its checkpoints {} and {}",
                                        point(phases.after, ""), point(phases.before, ""));
}

std::string agreement(const TrialResult& result, const Explanation& known) {
    if (known.disagreement || known.rerun) {
        return "";
    }
    const auto agreed = known.recorded_side_runs && known.ticks_done > 0
                            ? std::optional(known.ticks_done - 1)
                            : result.divergence->last_agreed;
    return !agreed        ? ""
           : *agreed == 0 ? "the initial state was the same"
                          : fmt::format("the same through {}", describe_state(*agreed));
}

std::string moment_text(const ShownFailure& failure) {
    const auto& found = failure.known.disagreement;
    const auto& phases = found ? found->phases : failure.known.phases;
    std::vector<std::string> clauses{when(failure.result, failure.known) +
                                     (phases ? ", " + phase_text(*phases) : "")};
    const auto& parts = found ? found->parts : failure.known.parts;
    if (phases && !phases->parts.empty() && phases->parts != parts) {
        clauses.push_back("there it differs in " + core::joined(phases->parts));
    }
    if (found && found->last_agreed) {
        clauses.push_back(fmt::format("two runs of this trial were the same {}{}",
                                      *found->last_agreed == 0 ? "in " : "through ",
                                      describe_state(*found->last_agreed)));
    }
    if (const auto& rerun = failure.known.rerun) {
        clauses.push_back(
            fmt::format("its first run was as recorded, then the loop went back from "
                        "{} and ran it again",
                        describe_state(rerun->back_from)));
    }
    if (const std::string agreed = agreement(failure.result, failure.known); !agreed.empty()) {
        clauses.push_back(agreed);
    }
    return core::joined(clauses, "; ");
}

// Why: an axis.

std::string of(const FailedRuns& runs) {
    return fmt::format("{} of {}", runs.failed, runs.runs);
}

std::string evidence_text(const std::optional<Evidence>& evidence) {
    if (!evidence) {
        return "";
    }
    return fmt::format("; {} reruns with it fail, {} without{}", of(evidence->with),
                       of(evidence->without),
                       evidence->placebo ? ", " + of(*evidence->placebo) + " with a placebo" : "");
}

std::string joined_axes(const std::vector<AxisValue>& values) {
    return core::joined(values, ", ", [](const AxisValue& value) { return to_string(value); });
}

std::string subject_of(const std::vector<AxisValue>& axes, const ShownFailure& failure) {
    const core::SimulationSetup setup = setup_of(failure.head, failure.plan.environment);
    return core::joined(axes, " together with ",
                        [&](const AxisValue& value) { return in_a_sentence(value, setup); });
}

std::string place_to_look(const std::vector<AxisValue>& axes) {
    std::vector<std::string> places;
    for (const AxisValue& value : axes) {
        if (const Axis* axis = find_axis(value.axis)) {
            places.emplace_back(meaning_of(*axis, value.value).look_at);
        }
    }
    std::erase(places, "");
    return core::joined(places, "; or ");
}

// Those made in the tick that differs come first: where all before it was the same, they are the
// ones to look at.
std::string calls_text(const Explanation& known) {
    const std::uint64_t ticks_done =
        known.disagreement ? known.disagreement->ticks_done : known.ticks_done;
    std::vector<SystemReads> calls;
    for (const SystemReads& one : known.reads) {
        for (const SystemCall& call : one.first) {
            calls.push_back({one.source, one.count, {call}});
        }
    }
    std::ranges::stable_partition(calls, [&](const SystemReads& one) {
        const Place& place = one.first.front().place;
        return ticks_done > 0 && place.tick.value + 1 == ticks_done &&
               place.activity != Activity::creating && place.activity != Activity::starting;
    });
    return calls.empty() ? "" : "; it calls " + asked_text(calls);
}

bool is_by_chance(const std::vector<AxisValue>& axes) {
    return std::ranges::any_of(axes, [](const AxisValue& value) {
        const Axis* axis = find_axis(value.axis);
        return axis != nullptr && axis->by_chance;
    });
}

// The trial fails with and without these axes, but reaches a different state with them.
std::string otherwise_text(const ShownFailure& failure) {
    const Explanation& known = failure.known;
    const auto& [with, without, placebo] = *known.otherwise;
    const std::string varied =
        core::joined(known.provoking_axes, " and ",
                     [](const AxisValue& one) { return std::string(find_axis(one.axis)->varies); });
    return fmt::format(
        "{}, which nothing records: {} reruns with {} reach a different state, {} without{}{}{}",
        varied, of(with), joined_axes(known.provoking_axes), of(without),
        placebo ? ", " + of(*placebo) + " with a placebo" : "", calls_text(known),
        known.same_build || is_by_chance(known.provoking_axes)
            ? ""
            : "; also possible: another build made the recording");
}

// What the trial varies makes it fail, or fail more often; other axes are another in each run.
Cause axis_cause(const ShownFailure& failure) {
    const Explanation& known = failure.known;
    const auto& axes = known.provoking_axes;
    const bool is_varied = std::ranges::any_of(
        axes, [&](const AxisValue& value) { return failure.plan.drive.varies(value.axis); });
    // Else, with these values all runs are alike, and without them they are not.
    const bool is_provoked =
        known.evidence || (is_varied && failure.result.verdict != Verdict::nondeterministic);
    if (known.otherwise) {
        return {otherwise_text(failure), place_to_look(axes)};
    }
    std::string why = is_provoked ? subject_of(axes, failure)
                                  : core::joined(axes, " and ", [](const AxisValue& value) {
                                        return std::string(find_axis(value.axis)->varies);
                                    });
    const bool is_chance = is_by_chance(axes);
    why += known.evidence
               ? (is_chance ? ", which nothing records" : "") + evidence_text(known.evidence)
           : is_provoked ? ": without it, the same trial gives the recorded bits"
                         : ", which nothing records: another in each run";
    const std::vector<AxisValue>& varied = failure.plan.drive.axes;
    if (known.evidence && varied.size() == 1 && std::ranges::count(axes, varied.front()) == 0) {
        why += "; " + to_string(varied.front()) + " changes that as well";
    }
    return {why + calls_text(known), place_to_look(axes)};
}

// Why: frame times.

bool holds(const OddFrames& frames, std::uint64_t frame) {
    return frame >= frames.first && frame - frames.first < frames.count;
}

std::string effect_of(const OddFrames& frames) {
    const bool one = frames.count == 1;
    if (frames.back > 0) {
        return ", so the loop went back " + counted(frames.back, "tick");
    }
    if (frames.ticks == frames.count) {
        return "";
    }
    return fmt::format(", so {} ran in {}",
                       frames.ticks == 0 ? "no tick" : counted(frames.ticks, "tick"),
                       one ? "it" : "them");
}

std::string text_of(const OddFrames& frames, core::TickRate rate) {
    const std::string nominal = to_string(core::FrameTime{rate.time_of(1)});
    const std::string time = to_string(frames.frame_time);
    return (frames.count == 1
                ? fmt::format("frame {} took {} instead of {}", frames.first, time, nominal)
                : fmt::format("frames {} to {} took {} each instead of {}", frames.first,
                              frames.first + frames.count - 1, time, nominal)) +
           effect_of(frames);
}

std::string frames_text(const ShownFailure& failure) {
    const auto& odd = failure.known.provoking;
    const FrameContext& context = failure.known.context;
    if (!odd) {
        return fmt::format(
            "too many of them are unusual to single one out; the tick ran in frame {}, which took "
            "{}",
            context.frame, to_string(context.frame_time));
    }
    if (odd->empty()) {
        return "all are nominal, but the loop " + to_string(failure.plan.drive.loop) +
               " makes other ticks of them";
    }
    const core::TickRate rate = failure.head.session.rate;
    std::string text =
        core::joined(*odd, failure.words.plainest ? "; and " : "; or ",
                     [rate](const OddFrames& frames) { return text_of(frames, rate); });
    if (context.tick_in_frame > 0) {
        text += fmt::format("; {} was number {} of the {} in frame {}",
                            describe_state(failure.known.ticks_done), context.tick_in_frame + 1,
                            context.ticks_in_frame, context.frame);
    } else if (!holds(odd->back(), context.frame) && context.last_alpha >= 0.0005) {
        const double alpha = std::min(context.last_alpha, 0.999);  // it is below 1
        text += fmt::format("; the last render before the tick was at alpha {:.3f}", alpha);
    }
    return text;
}

// What of a simulation's code is told of frames: what is likely first. Only begin_frame has seen
// the odd frame where the tick is the first in it.
std::string told_of_frames(const ShownFailure& failure) {
    const HostCalls calls = failure.result.calls.value_or(HostCalls{true, true});
    const FrameContext& context = failure.known.context;
    const auto& odd = failure.known.provoking;
    const bool in_own_frame =
        odd && odd->size() == 1 && odd->back().count == 1 && holds(odd->back(), context.frame);
    if (!calls.render || (calls.begin_frame && in_own_frame && context.tick_in_frame == 0)) {
        return calls.begin_frame ? "begin_frame" : "";
    }
    return !calls.begin_frame ? "render"
           : in_own_frame     ? "begin_frame and render"
                              : "render and begin_frame";
}

// The call between ticks that was seen to change the state; empty if none was.
std::string seen_to_write(const Explanation& known) {
    for (const std::optional<StateWrite>* write : {&known.write->after, &known.write->before}) {
        if (*write && (*write)->during == Activity::rendering) {
            return "render";
        }
        if (*write && (*write)->during == Activity::beginning_frame) {
            return "begin_frame";
        }
    }
    return "";
}

std::string frames_place(const ShownFailure& failure) {
    const std::string seen = failure.known.write ? seen_to_write(failure.known) : "";
    if (!seen.empty()) {
        return seen + ": it changes the state, which only step may do";
    }
    const std::string what = told_of_frames(failure);
    if (what.empty()) {
        return "";
    }
    const std::string_view whose = what.find(" and ") == what.npos ? ": it " : ": one of them ";
    const auto& phases = failure.known.phases;
    if (phases && phases->unknown.empty() && !phases->after && !phases->forks) {
        return what + std::string(whose) +
               "changes the state, which already differed when the tick began";
    }
    return what + std::string(whose) +
           (what == "begin_frame"
                ? "stores something that step reads, such as the frame time"
                : "changes something that step reads, such as a random generator, an "
                  "interpolated position, or a stored frame time");
}

Cause frame_cause(const ShownFailure& failure) {
    const Explanation& known = failure.known;
    const core::LoopOptions& loop = failure.plan.drive.loop;
    if (!core::info_of(loop.kind).constant_dt) {
        return {"the loop " + to_string(loop) + ": it varies dt, and the results with it",
                "the choice of the loop: for the same bits at any frame rate, dt must be constant"};
    }
    if (known.ticks_done == 0) {
        return {"not found: the initial state differs, before any frame"};
    }
    const auto& odd = known.provoking;
    const bool only_back =
        known.rerun && odd &&
        std::ranges::all_of(*odd, [](const OddFrames& frames) { return frames.back > 0; });
    if (only_back) {
        return {fmt::format("loading a snapshot: {}, and what had run up to {} left something "
                            "behind{}",
                            text_of(odd->front(), failure.head.session.rate),
                            describe_state(known.rerun->back_from), evidence_text(known.evidence)),
                "what save leaves out and load does not restore: caches, statics, members that "
                "serialize does not visit; isotick audit may name them"};
    }
    return {"frame times: " + frames_text(failure) + evidence_text(known.evidence),
            frames_place(failure)};
}

// Why: the nominal replay fails.

constexpr std::string_view kNotFrames =
    "not found. It is not the frame times: the replay with one tick in each frame fails, too";

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

// The notes in the recording, such as a commit or a machine.
std::string notes_text(const core::Settings& notes) {
    std::vector<std::string> texts;
    for (const auto& [key, value] : notes.entries()) {
        if (key != kScheduleNote && key != kLoopNote) {
            texts.push_back(key + "=" + value);
        }
    }
    return texts.empty() ? "" : "with the notes " + core::joined(texts);
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
        things.emplace_back("recording itself (recording again here gives the computed hash, too)");
    }
    if (findings.same_build) {
        things.emplace_back("another build (both name the same)");
    }
    return things;
}

std::string possible(const ShownFailure& failure, const NominalFindings& findings) {
    const std::uint64_t ticks_done = failure.known.ticks_done;
    std::vector<std::string> things;
    if (!findings.same_build) {
        things.emplace_back(ticks_done == 0
                                ? "the build (other initial values, or members added or removed)"
                                : "the build (code, compiler, flags such as -ffast-math)");
    }
    things.emplace_back("the machine, its libraries, data files");
    things.emplace_back("environment settings");
    if (const std::string drive = drive_of(failure.head.notes); !drive.empty()) {
        things.push_back(drive);
    }
    if (ticks_done > 0) {
        things.emplace_back(
            "a game that changed its state without inputs, such as by loading a "
            "snapshot");
    }
    if (findings.varied.empty() || !findings.another_second) {
        things.emplace_back("uninitialized memory, or a clock");
    }
    return "what may have been different when it was recorded: " + core::joined(things, "; ");
}

Cause nominal_cause(const ShownFailure& failure) {
    const Explanation& known = failure.known;
    const NominalFindings findings = known.nominal.value_or(NominalFindings());
    const std::string drive = drive_of(failure.head.notes);
    const std::string frames =
        "begin_frame and render: nothing else can tell one schedule from another";
    if (known.only_as_recorded) {
        return {drive + ": here it replays as recorded under no other", frames};
    }
    if (known.recorded_side_runs) {  // by a build that was named
        return {
            "the build: the one that --sim-a names gives the recorded bits here, under the same "
            "schedule",
            "what changed between the two: code, compiler, flags such as -ffast-math or "
            "-march, libraries, data files"};
    }
    if (findings.recorded_again == RecordedAgain::as_before_by_bot) {
        return {
            "propose_input changes the state: recording again here gives the recorded bits "
            "only if the bot is asked for inputs",
            "propose_input, which must leave everything that step reads as it is"};
    }
    if (findings.recorded_again == RecordedAgain::as_before) {
        return drive.empty()
                   ? Cause{"recording and replaying differ: recording the same inputs again here "
                           "gives the recorded bits",
                           "calls that only one of them makes: propose_input and save"}
                   : Cause{drive + ": recording that way again gives the recorded bits", frames};
    }
    return {std::string(kNotFrames), possible(failure, findings),
            core::joined(ruled_out(findings))};
}

// Why: something else in each run.

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

Cause chance_cause(const ShownFailure& failure) {
    const auto& found = failure.known.disagreement;
    return {"not found: this trial does not always give the same bits" +
                (found ? "; " + runs_text(*found) : ": " + failure.result.reason),
            "uninitialized memory, addresses used as keys or for an order, unordered containers, "
            "clocks, random devices, and threads that race"};
}

Cause cause_of(const ShownFailure& failure) {
    if (!failure.known.provoking_axes.empty()) {
        return axis_cause(failure);
    }
    if (failure.result.verdict == Verdict::nondeterministic) {
        return chance_cause(failure);
    }
    if (!failure.plan.drive.has_nominal_frames()) {
        return frame_cause(failure);
    }
    if (failure.plan.drive.axes.empty()) {
        return nominal_cause(failure);
    }
    return {fmt::format("{}: {}{}", failure.explained ? "not found" : "not looked for",
                        subject_of(failure.plan.drive.axes, failure),
                        failure.explained ? ", but the same trial without it fails too" : "")};
}

// Of a trial that crashed or hung, of which no other was run that differs in one thing.
Cause crash_cause(const ShownFailure& failure) {
    const Drive& drive = failure.plan.drive;
    if (drive.has_nominal_frames() && drive.axes.empty()) {
        return {std::string(kNotFrames)};
    }
    return {fmt::format("{}{}",
                        failure.words.plainest ? "the plainest drive found to fail is "
                                               : "not found; it was driven by ",
                        to_string(drive))};
}

// Those that differ, or those that do later where this state's are not stored.
std::vector<std::string> parts_of(const Explanation& known) {
    if (!known.later_parts) {
        return known.parts;
    }
    const LaterParts& later = *known.later_parts;
    return {core::joined(later.parts) + " at " + describe_state(later.ticks_done) +
            ", the next one with stored part hashes"};
}

PageRow differing_row(const ShownFailure& failure) {
    const Explanation& known = failure.known;
    const PageWords& words = failure.words;
    const auto& found = known.disagreement;
    const FieldReport& fields = found ? found->fields : known.fields;
    const std::string sides = known.otherwise
                                  ? "without → with " + joined_axes(known.provoking_axes)
                              : found       ? "run A → run B"
                              : known.rerun ? "first run → this one"
                                            : "recorded → computed";
    PageRow row = differing_row(found ? found->parts : parts_of(known), fields, sides,
                                words.more_fields, words.details);
    if (row.text.empty() || row.text.starts_with("fields unknown")) {
        row.text = "unknown parts: the recording has no part hashes for this state" +
                   (row.text.empty() ? "" : "; " + row.text);
    }
    if (!fields.unknown.empty() && !found && !known.recorded_side_runs &&
        !words.recorded_side.empty()) {
        row.text += "; " + words.recorded_side;
    }
    return row;
}

// The run that the failing one is compared with.
std::string_view other_run(const Explanation& known) {
    return known.disagreement ? "another run" : known.rerun ? "the first run" : "the recorded run";
}

std::string impact_text(const Impact& impact, const std::optional<PartHistory>& history) {
    constexpr std::uint64_t kMostNamed = 3;
    const Impact::Fields& first = impact.fields.front();
    const Impact::Fields& last = impact.fields.back();
    const bool spreads = last.differing > first.differing;
    const auto soon = std::ranges::find_if(impact.fields, [&](const Impact::Fields& one) {
        return (one.ticks_done - first.ticks_done + 1) * 10 > last.ticks_done - first.ticks_done;
    });
    std::string text =
        fmt::format("{}: {} in {}",
                    impact.same_from ? "heals"
                    : spreads        ? "spreads"
                                     : "remains",
                    counted(first.differing, "field"), describe_state(first.ticks_done));
    if (*soon != first && soon->differing != last.differing) {
        text += fmt::format(", {} in {}", soon->differing, describe_state(soon->ticks_done));
    }
    if (last != first) {
        text += fmt::format(", {} in {}", last.differing, describe_state(last.ticks_done));
    }
    if (history && history->same > 0 && history->total <= kMostNamed) {
        text += "; only " + core::joined(history->parts, ", ", &PartHistory::Part::name) +
                " ever " + (history->total == 1 ? "differs" : "differ");
    }
    if (impact.same_from) {
        text += fmt::format("; the same again from {} to {}", describe_state(*impact.same_from),
                            describe_state(impact.last_compared));
    }
    return text;
}

// What -v adds.
std::vector<PageRow> detail_rows(const ShownFailure& failure) {
    const Explanation& known = failure.known;
    std::vector<PageRow> rows;
    if (failure.result.divergence) {
        const auto& found = known.disagreement;
        if (!found || failure.result.divergence->computed.ticks_done == found->ticks_done) {
            rows.push_back({"recorded", to_string(known.recorded)});
        }
        if (found) {
            rows.push_back({"run A", to_string(found->a)});
            rows.push_back({"run B", to_string(found->b)});
        } else {
            rows.push_back({"computed", to_string(known.computed)});
        }
        rows.push_back(failure.result.verdict == Verdict::diverged
                           ? PageRow{"confirmed", failure.words.confirmed}
                           : PageRow{"reason", failure.result.reason});
    }
    const auto& write = known.disagreement ? known.disagreement->write : known.write;
    if (write && !write->unknown.empty()) {
        rows.push_back({"written by", "unknown: " + write->unknown});
    }
    for (PageRow& axis : trial_axis_rows(failure.plan, failure.head)) {
        rows.push_back(std::move(axis));
    }
    if (failure.plan.drive.loop != core::LoopOptions()) {
        rows.push_back({"loop", to_string(failure.plan.drive.loop)});
    }
    rows.push_back({"schedule", failure.plan.drive.schedule.to_string(), {}, true});
    rows.push_back({"shrunk", failure.words.shrunk});
    return rows;
}

// A shell comment behind the command that reproduces the failure, if it does not fail every time.
std::string how_often(const ShownFailure& failure) {
    const auto& evidence = failure.known.evidence;
    if (evidence && evidence->with.failed < evidence->with.runs) {
        return fmt::format("  # fails in {} of {} runs", evidence->with.failed,
                           evidence->with.runs);
    }
    const bool differs = failure.result.verdict == Verdict::nondeterministic && !evidence &&
                         !failure.known.otherwise;
    return differs ? "  # the outcome varies from run to run" : "";
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
    const bool between = !known.recorded_side_runs && agreed && *agreed + 1 < ticks_done;
    return describe_state(ticks_done) + (between ? " or earlier" : "");
}

std::vector<PageRow> failure_rows(const replay::RecordingHead& head, const TrialPlan& plan,
                                  const TrialResult& result,
                                  const std::optional<Explanation>& explanation,
                                  const PageWords& words) {
    const bool is_divergence = result.divergence && result.verdict != Verdict::unreadable;
    const Explanation known = explanation     ? *explanation
                              : is_divergence ? from_divergence(result)
                                              : Explanation();
    const ShownFailure failure{head, plan, result, known, explanation.has_value(), words};
    std::vector<PageRow> rows;
    if (is_divergence) {
        rows.push_back(differing_row(failure));
        rows.push_back({"when", moment_text(failure)});
    } else {
        rows.push_back({"reason", result.reason});
        rows.push_back({result.verdict == Verdict::timed_out ? "hangs in" : "crashed in",
                        code_text(last_code(result))});
    }
    if (is_divergence && !explanation && !words.unexplained.empty()) {
        rows.push_back({"why", words.unexplained});
    } else if (is_divergence || result.verdict == Verdict::crashed ||
               result.verdict == Verdict::timed_out) {
        const Cause cause = is_divergence ? cause_of(failure) : crash_cause(failure);
        rows.push_back({"why", cause.why});
        rows.push_back({"ruled out", cause.ruled_out});
        const auto& write = known.disagreement ? known.disagreement->write : known.write;
        rows.push_back({"written by", write ? write_text(*write, other_run(known)) : ""});
        rows.push_back({"comes from", write ? origin_text(*write) : ""});
        rows.push_back(known.draws ? draws_row(*known.draws) : PageRow());
        rows.push_back(
            {"impact", known.impact ? impact_text(*known.impact, known.part_history) : ""});
        rows.push_back({"look at", cause.look_at});
        rows.push_back({"recorded", cause.ruled_out.empty() ? "" : notes_text(head.notes)});
    }
    if (result.verdict == Verdict::unreadable) {
        return rows;
    }
    rows.push_back({"reproduce",
                    words.reproduce.empty() ? "" : words.reproduce + how_often(failure),
                    {},
                    true});
    rows.push_back({"debugger", is_divergence ? "" : words.debug, {}, true});
    if (words.details) {
        for (PageRow& detail : detail_rows(failure)) {
            rows.push_back(std::move(detail));
        }
    }
    std::erase_if(rows, [](const PageRow& row) { return row.text.empty(); });
    return rows;
}

}  // namespace isotick::harness
