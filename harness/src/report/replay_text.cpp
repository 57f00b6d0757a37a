#include "replay_text.hpp"

#include "../system/rows.hpp"
#include "field_rows.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

// What failed was reached.
bool is_out_of_reach(const VerifyReport& report) {
    return !report.frames_reach_it && report.failures.empty();
}

}  // namespace

std::string calls_text(const HostCalls& calls) {
    if (calls.begin_frame && calls.render) {
        return "begin_frame, step, render";
    }
    return calls.begin_frame ? "begin_frame, step; no render"
           : calls.render    ? "step, render; no begin_frame"
                             : "step; neither begin_frame nor render";
}

std::string bad_end_text(const std::string& bad_end) {
    return bad_end.empty() ? "" : "after the last hash, " + bad_end;
}

std::string trials_text(const VerifyReport& report) {
    return fmt::format("{} of {} trials identical{}", report.trials_identical, report.trials,
                       is_out_of_reach(report)
                           ? ", but no schedule can reach the simulation: it has neither "
                             "begin_frame nor render"
                           : "");
}

std::string worth_trying(const VerifyReport& report) {
    if (!is_out_of_reach(report)) {
        return "";
    }
    return std::string(report.perturbed.empty() ? "--perturb all, " : "") +
           "--vary with settings that must not matter, --loop threaded or reversible, isotick "
           "audit, another build or machine. For a game's own loop, use Playback";
}

std::string replay_rows(const ReplayReport& report, const ReportWords& words) {
    const TrialResult& result = report.result;
    const TrialStatistics& statistics = result.statistics;
    std::string text = heading(report.plan.recording);
    text +=
        row("session", session_line(report.head.session, report.ticks.value_or(statistics.ticks)));
    if (statistics.frames > 0) {  // else it crashed, and took with it what it had counted
        text += row("compared",
                    fmt::format("{} in {}, {}", counted(statistics.hashes_compared, "hash"),
                                counted(statistics.frames, "frame"), ticks_per_frame(statistics)));
    }
    text += row("state loads", loads_text(statistics, std::span(&report.plan.drive.loop, 1)));
    if (statistics.schedule_repeats > 0) {
        text += row("note", fmt::format("the schedule ended and began again {}",
                                        counted(statistics.schedule_repeats, "time")));
    }
    text += row("note", result.note);
    text += row("note", bad_end_text(result.bad_end));
    text += row("note", result.unread.empty()
                            ? ""
                            : "the simulation never read " + core::joined(result.unread));
    text += row("last hash", result.last_hash ? to_string(*result.last_hash) : "");
    return text + (result.verdict == Verdict::identical
                       ? trial_axis_rows(report.plan, report.head)
                       : failure_rows(report.head, report.plan, result, report.explanation, words));
}

std::string where_diverged(const ReplayReport& report) {
    const bool diverged = report.result.verdict != Verdict::identical && report.result.divergence;
    return diverged ? "  at " + when(report.result, report.explanation) : "";
}

std::string describe(const ReplayReport& report) {
    const ReportWords words{"", "by a second trial: same tick, same hash", "", "",
                            "most_fields sets how many are listed of each kind"};
    return replay_rows(report, words) + in_capitals(to_string(report.result.verdict)) +
           where_diverged(report) + "\n";
}

std::string describe(const VerifyReport& report) {
    const auto explained =
        std::find_if(report.failures.begin(), report.failures.end(),
                     [](const FailedTrial& failure) { return failure.explanation.has_value(); });
    const auto shown = explained != report.failures.end() ? explained : report.failures.begin();
    std::string text;
    if (shown != report.failures.end()) {
        text += describe(ReplayReport{report.head, report.ticks, shown->plan, shown->result,
                                      shown->explanation});
        text += row("trial", std::to_string(shown->number));
    }
    for (const std::string& reason : report.reasons) {
        text += row("reason", reason);
    }
    return text +
           fmt::format("{}  {}\n", in_capitals(to_string(report.verdict)), trials_text(report));
}

}  // namespace isotick::harness
