#include "replay_text.hpp"

#include "../system/rows.hpp"
#include "field_rows.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace isotick::harness {
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
    return fmt::format("{} of {} trials identical", report.trials_identical, report.trials);
}

std::string worth_trying(const VerifyReport& report) {
    if (report.frames_reach_it || !report.failures.empty()) {
        return "";
    }
    return "begin_frame or render: without them no frame time reaches the simulation; " +
           std::string(report.perturbed.empty() ? "--perturb all, " : "") +
           "--vary, --loop threaded, isotick audit, another build or machine";
}

namespace {

std::string detail_rows(const ReplayReport& report) {
    const TrialStatistics& statistics = report.result.statistics;
    std::string text = paragraph(
        "session", session_line(report.head.session, report.ticks.value_or(statistics.ticks)));
    text += row("state loads", loads_text(statistics, std::span(&report.plan.drive.loop, 1)));
    text += row("last hash", report.result.last_hash ? to_string(*report.result.last_hash) : "");
    return text + (report.result.verdict == Verdict::identical
                       ? row("schedule", report.plan.drive.schedule.to_string())
                       : "");
}

std::string note_rows(const TrialResult& result) {
    std::string text;
    if (result.statistics.schedule_repeats > 0) {
        text += row("note", fmt::format("the schedule ended and began again {}",
                                        counted(result.statistics.schedule_repeats, "time")));
    }
    text += paragraph("note", result.note);
    text += paragraph("note", bad_end_text(result.bad_end));
    return text + paragraph("note", result.unread.empty() ? ""
                                                          : "the simulation never read " +
                                                                core::joined(result.unread));
}

}  // namespace

std::string replay_rows(const ReplayReport& report, const std::string& verdict,
                        const PageWords& words) {
    const TrialStatistics& statistics = report.result.statistics;
    const bool identical = report.result.verdict == Verdict::identical;
    std::string text =
        identical ? heading(report.plan.recording)
                  : verdict + "  " + heading(report.plan.recording + where_diverged(report));
    // A trial that crashed took with it what it had counted.
    const std::string compared =
        statistics.frames == 0
            ? ""
            : fmt::format("{} in {}, {}", counted(statistics.hashes_compared, "hash"),
                          counted(statistics.frames, "frame"), ticks_per_frame(statistics));
    if (identical) {
        text += row("compared", compared) + page_text(trial_axis_rows(report.plan, report.head));
    } else {
        text += page_text(failure_rows(report.head, report.plan, report.result, report.explanation,
                                       words)) +
                (words.details ? row("compared", compared) : "");
    }
    return text + (words.details ? detail_rows(report) : "") + note_rows(report.result);
}

std::string where_diverged(const ReplayReport& report) {
    const bool diverged = report.result.verdict != Verdict::identical && report.result.divergence;
    return diverged ? " at " + when(report.result, report.explanation) : "";
}

namespace {

// The words of a library, which has no options.
PageWords library_words() {
    return {.more_fields = "most_fields sets how many are listed of each kind",
            .confirmed = "by a second trial: same tick, same hash"};
}

std::string last_line(const ReplayReport& report, const std::string& verdict) {
    const std::string where = where_diverged(report);
    return verdict + (where.empty() ? "" : " " + where) + "\n";
}

}  // namespace

std::string describe(const ReplayReport& report) {
    const std::string verdict = in_capitals(to_string(report.result.verdict));
    return replay_rows(report, verdict, library_words()) + last_line(report, verdict);
}

std::string describe(const VerifyReport& report) {
    const std::string verdict = in_capitals(to_string(report.verdict));
    const auto explained =
        std::find_if(report.failures.begin(), report.failures.end(),
                     [](const FailedTrial& failure) { return failure.explanation.has_value(); });
    const auto shown = explained != report.failures.end() ? explained : report.failures.begin();
    std::string text;
    if (shown != report.failures.end()) {
        text +=
            replay_rows({report.head, report.ticks, shown->plan, shown->result, shown->explanation},
                        in_capitals(to_string(shown->result.verdict)), library_words());
        text += row("trial", std::to_string(shown->number));
    }
    for (const std::string& reason : report.reasons) {
        text += paragraph("reason", reason);
    }
    return text + fmt::format("{}  {}\n", verdict, trials_text(report));
}

}  // namespace isotick::harness
