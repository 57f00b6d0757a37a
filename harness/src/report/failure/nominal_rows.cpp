#include "nominal_rows.hpp"

#include "../../axes/axes.hpp"
#include "../rows.hpp"

#include <isotick/core/detail/text/joined.hpp>
#include <isotick/harness/record.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {
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

}  // namespace isotick::harness
