#include "verify_text.hpp"

#include "../../src/axes/axes.hpp"
#include "../../src/report/replay_text.hpp"
#include "../output/text.hpp"
#include "recording_share.hpp"
#include "reporter.hpp"

#include <isotick/core/loops.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::FailedTrial;
using harness::PageRow;
using harness::VerifyReport;

std::string names_of(const std::vector<core::LoopOptions>& loops) {
    std::vector<std::string> names;
    for (const core::LoopOptions& loop : loops) {
        names.push_back(to_string(loop));
    }
    return joined(names);
}

std::string axes_in(const std::vector<harness::AxisValue>& axes, bool is_alone) {
    return axes.empty() ? (is_alone ? "with nothing varied" : "with frame times alone")
           : axes.size() == 1 && is_alone ? "with " + axes.front().axis + " alone"
                                          : "with several things varied";
}

CountedFailure counted_failure(const FailedTrial& failure) {
    const auto& found = failure.explanation;
    const harness::TrialResult& result = failure.result;
    return {result.verdict, result.divergence.has_value(),
            found && !found->provoking_axes.empty()
                ? axes_in(found->provoking_axes, true)
                : axes_in(failure.plan.drive.axes, failure.plan.drive.has_nominal_frames())};
}

std::string others(const VerifyReport& report, const FailedTrial& shown, bool all) {
    std::vector<CountedFailure> others;
    for (const FailedTrial& failure : report.failures) {
        if (&failure != &shown) {
            others.push_back(counted_failure(failure));
        }
    }
    return others_text(others, counted_failure(shown), all);
}

std::string nan_warning(const VerifyReport& report) {
    if (report.nan.empty()) {
        return "";
    }
    return "the state ends with a NaN at " + report.nan +
           (report.head.nan_policy == "one" ? "" : ": its bits differ from processor to processor");
}

// `cpu in 41 trials, time-zone in 48`
std::string perturbed_text(const VerifyReport& report) {
    std::vector<std::string> axes;
    for (const harness::PerturbedAxis& axis : report.perturbed) {
        if (axis.trials == 0) {
            continue;
        }
        axes.push_back(
            fmt::format("{} in {}", axis.axis,
                        axes.empty() ? counted(axis.trials, "trial") : grouped(axis.trials)));
    }
    return joined(axes);
}

// `rollback, reload: the simulation takes no snapshots; cpu: …`
std::string unvaried_text(const VerifyReport& report) {
    std::string text;
    for (auto axis = report.unvaried.begin(); axis != report.unvaried.end(); ++axis) {
        const bool again = axis != report.unvaried.begin() && axis[-1].reason == axis->reason;
        const bool more = axis + 1 != report.unvaried.end() && axis[1].reason == axis->reason;
        text += text.empty() ? "" : again ? ", " : "; ";
        text += axis->axis + (more ? "" : ": " + axis->reason);
    }
    return text;
}

std::string fresh_text(const VerifyReport& report) {
    return report.fresh_trials == 0   ? ""
           : report.fresh_trials == 1 ? ", 1 in a fresh process"
                                      : fmt::format(", {} in fresh processes", report.fresh_trials);
}

// `77 of them ran parts of the session: 29,568 ticks, on 12.9% of it`
std::string bursts_text(const VerifyReport& report) {
    const harness::BurstCoverage bursts = report.bursts.value_or(harness::BurstCoverage());
    std::vector<std::string> clauses;
    if (bursts.trials > 0) {
        const auto covered = static_cast<double>(bursts.covered);
        clauses.push_back(fmt::format(
            "{} of them ran parts of the session: {}, on {:.1f}% of it", grouped(bursts.trials),
            counted(bursts.ticks, "tick"),
            100 * covered / static_cast<double>(std::max<std::uint64_t>(report.ticks, 1))));
    }
    if (bursts.skipped > 0) {
        clauses.push_back(
            fmt::format("{} more were not run, since one had failed", grouped(bursts.skipped)));
    }
    if (!bursts.why_none.empty()) {
        clauses.push_back("in full instead: " + bursts.why_none);
    }
    return joined(clauses);
}

std::string budget_text(const VerifyReport& report) {
    if (!report.budget) {
        return "";
    }
    const auto seconds = [](std::chrono::milliseconds time) {
        return static_cast<double>(time.count()) / 1000;
    };
    return fmt::format("{:.1f} s of {:.1f} s spent after trial 0{}", seconds(report.budget->spent),
                       seconds(report.budget->asked),
                       report.failures.empty() ? "" : ", up to the first that failed");
}

// `frame times, workers=2,8 instead of the recorded 1, rollback, heap`
std::string varied_text(const VerifyReport& report, const core::Settings& environment) {
    std::vector<std::string> things;
    if (report.frames_reach_it &&
        report.total.least_ticks_per_frame != report.total.most_ticks_per_frame) {
        things.emplace_back("frame times");
    }
    if (report.loops.size() > 1) {
        things.push_back("the loop (" + names_of(report.loops) + ")");
    }
    for (std::string& setting : varied_texts(report.varied, report.head, environment)) {
        things.push_back(std::move(setting));
    }
    for (const harness::PerturbedAxis& axis : report.perturbed) {
        if (axis.trials > 0) {
            things.push_back(axis.axis);
        }
    }
    return joined(things);
}

std::string compared_text(const VerifyReport& report) {
    return report.total.frames == 0  // all crashed, and took with them what they had counted
               ? ""
               : fmt::format("{} in {} of {}; {}, {}",
                             counted(report.total.hashes_compared, "hash"),
                             counted(report.trials, "trial"), counted(report.ticks, "tick"),
                             counted(report.total.frames, "frame"), ticks_per_frame(report.total));
}

// What -v adds.
std::string detail_rows(const VerifyReport& report) {
    std::string text = paragraph("session", session_line(report.head.session, report.ticks));
    text += row("digest", to_string(report.session_digest));
    text += row("calls", report.calls ? calls_text(*report.calls) : "");
    text +=
        paragraph("trials", fmt::format("{} run, trial 0 nominal{}, root seed {}", report.trials,
                                        fresh_text(report), root_seed_text(report.seed)));
    text += paragraph("bursts", bursts_text(report));
    text += row("budget", budget_text(report));
    text += paragraph("perturbed", perturbed_text(report));
    text += paragraph("loops", report.loops.size() > 1 ? names_of(report.loops) : "");
    if (!report.repro.empty()) {
        text += paragraph("repro", fmt::format("{}: the recording's own, as trial {}", report.repro,
                                               report.varied.size() + 1));
    }
    return text + row("state loads", loads_text(report.total, report.loops));
}

std::string share_text(const VerifyReport& report) {
    const auto& share = report.grounds.share;
    return share ? fmt::format("{} of {} of the trials; isotick merge reports on all",
                               share->number, share->count)
                 : "";
}

std::string report_text(const VerifyReport& report, const std::vector<PageRow>& rows,
                        const VerifyRun& run, const VerifyCommandOptions& options,
                        const Console& console) {
    const std::string verdict = console.verdict(report.verdict);
    const bool details = report.failures.empty() || options.verbose;
    std::string text =
        report.verdict == harness::Verdict::identical
            ? heading(report.recording)
            : verdict + "  " + heading(report.recording + ": " + trials_text(report));
    text += page_text(rows);
    text += paragraph("part", share_text(report));
    text += paragraph("compared", details ? compared_text(report) : "");
    text += paragraph("varied", details ? varied_text(report, run.environment) : "");
    text += paragraph("not varied", details ? unvaried_text(report) : "");
    text += options.verbose ? detail_rows(report) : "";
    text += paragraph("environment", run.leaves_out_values ? left_out_text(run.environment) : "");
    text += paragraph("note", report.note);
    text += paragraph("note", harness::bad_end_text(report.bad_end));
    text += paragraph("warning", nan_warning(report));
    for (const std::string& reason : report.reasons) {
        text += paragraph("reason", reason);
    }
    for (const harness::BlindSpot& spot : report.blind_spots) {
        text += paragraph("blind spot", to_string(spot));
    }
    if (const auto reasons = strict_reasons(report, options); !reasons.empty()) {
        text += paragraph("strict", "fails: " + joined(reasons));
    }
    const std::string blind = report.blind_spots.empty()
                                  ? ""
                                  : fmt::format(", with {}: see isotick audit",
                                                counted(report.blind_spots.size(), "blind spot"));
    text += paragraph("try", worth_trying(report));
    return text + fmt::format("{}  {}{}\n", verdict, trials_text(report), blind);
}

// What the failure that is shown has in common with others of the same cause.

std::string axes_in_words(const std::vector<harness::AxisValue>& axes) {
    std::vector<std::string> words;
    for (const harness::AxisValue& value : axes) {
        const harness::Axis* axis = harness::find_axis(value.axis);
        words.emplace_back(axis == nullptr || axis->is_setting()
                               ? value.axis
                               : meaning_of(*axis, value.value).changes);
    }
    return core::joined(words, " together with ");
}

std::string cause_in_words(const FailedTrial& failure) {
    const auto& known = failure.explanation;
    if (known && !known->provoking_axes.empty()) {
        return axes_in_words(known->provoking_axes);
    }
    if (known && known->nominal) {
        return "fails with nothing varied";
    }
    if (known && known->evidence) {
        return failure.plan.drive.loop == core::LoopOptions() ? "frame times" : "the loop";
    }
    return "cause not found";
}

void add_fields(ReportedRecording& to, const harness::FieldReport& report,
                const std::vector<std::string>& parts) {
    auto& all = to.signature.parts;
    all = parts;
    if (report.known) {
        for (const core::FieldKind& kind : report.differences.kinds) {
            to.fields.push_back(kind.path);
            all.push_back(kind.part);
        }
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
}

void add_state(ReportedRecording& to, const harness::Explanation& known) {
    if (known.disagreement) {
        add_fields(to, known.disagreement->fields, known.disagreement->parts);
    } else {
        add_fields(to, known.fields, known.parts);
    }
    if (known.phases && known.phases->before) {
        to.signature.phase = known.phases->before->name;
    }
    if (known.phases && !known.phases->parts.empty()) {
        to.signature.parts = known.phases->parts;
        std::ranges::sort(to.signature.parts);
    }
}

void add_signature(ReportedRecording& to, const FailedTrial& shown) {
    if (!shown.result.divergence) {
        to.signature.cause = shown.result.reason;
        return;
    }
    to.signature.cause = cause_in_words(shown);
    if (shown.explanation) {
        add_state(to, *shown.explanation);
    }
}

std::string page_of(const VerifiedRecording& one, const std::vector<PageRow>& rows,
                    const VerifyRun& run, const VerifyCommandOptions& options,
                    const Console& console) {
    return one.report ? report_text(*one.report, rows, run, options, console)
                      : console.verdict(one.verdict) + "  " + heading(one.recording) +
                            paragraph("reason", one.reason) + console.verdict(one.verdict) + "\n";
}

}  // namespace

const FailedTrial& foremost(const VerifyReport& report) {
    for (const FailedTrial& failure : report.failures) {
        if (failure.explanation) {
            return failure;
        }
    }
    for (const FailedTrial& failure : report.failures) {
        if (failure.shrinking) {
            return failure;
        }
    }
    return report.failures.front();
}

std::vector<PageRow> failure_page(const VerifyReport& report, const CommonOptions& options) {
    std::vector<PageRow> rows;
    if (report.failures.empty()) {
        return rows;
    }
    const FailedTrial& shown = foremost(report);
    rows = failure_rows(report.head, shown.plan, shown.result, shown.explanation,
                        page_words(shown.plan, shown.explanation, shown.shrinking, options));
    if (std::string also = others(report, shown, options.verbose); !also.empty()) {
        rows.push_back({"also", std::move(also)});
    }
    if (options.verbose) {
        rows.push_back({"trial", grouped(shown.number)});
    }
    return rows;
}

std::string varied_in(const harness::Drive& drive) {
    return axes_in(drive.axes, drive.has_nominal_frames());
}

std::string others_text(std::span<const CountedFailure> others, const CountedFailure& shown,
                        bool all) {
    std::vector<std::pair<std::string, std::uint64_t>> counts;
    for (const CountedFailure& failure : others) {
        const bool is_alike =
            failure.verdict == shown.verdict || (failure.diverged && shown.diverged);
        const std::string what = (is_alike ? "" : in_words(failure.verdict) + " ") + failure.varied;
        const auto known = std::ranges::find(counts, what, &decltype(counts)::value_type::first);
        if (known == counts.end()) {
            counts.emplace_back(what, 1);
        } else {
            ++known->second;
        }
    }
    if (counts.empty()) {
        return "";
    }
    std::ranges::stable_sort(counts, std::greater(), &decltype(counts)::value_type::second);
    constexpr std::size_t kMost = 4;
    std::vector<std::string> texts;
    std::uint64_t left = others.size();
    const std::string trials = counted(left, "more trial") + (left == 1 ? " fails" : " fail");
    if (counts.size() == 1) {
        return trials + " " + counts.front().first;
    }
    for (const auto& [what, count] : counts) {
        if (all || texts.size() < kMost) {
            texts.push_back(fmt::format("{} {}", count, what));
            left -= count;
        }
    }
    if (left > 0) {
        texts.push_back(fmt::format("{} in other ways", left));
    }
    return trials + ": " + joined(texts);
}

ReportedRecording report_of(const VerifiedRecording& one, const std::vector<PageRow>& rows,
                            Json result, const VerifyRun& run, const VerifyCommandOptions& options,
                            const Console& console) {
    ReportedRecording to;
    to.recording = one.recording;
    to.verdict = one.verdict;
    to.reason = one.reason;
    to.left_out = one.left_out;
    to.rows = rows;
    to.page = one.left_out ? "" : page_of(one, rows, run, options, console);
    to.seconds = one.seconds;
    to.result = std::move(result);
    to.signature.cause = one.reason;
    if (!one.report) {
        return to;
    }
    const VerifyReport& report = *one.report;
    to.simulation = report.head.session.simulation;
    to.reason = report.reasons.empty() ? "" : report.reasons.front();
    to.signature.cause = to.reason;
    to.ticks = report.ticks;
    to.fails_strictly = !strict_reasons(report, options).empty();
    to.trials = trials_text(report);
    to.trials_run = report.trials;
    to.trials_identical = report.trials_identical;
    to.seed = root_seed_text(report.seed);
    return to;
}

Report report_of(const VerifyRun& run, const VerifyCommandOptions& options,
                 const Console& console) {
    Report made{"verify", run.verdict, console.verdict(run.verdict), options.verbose};
    made.run = options.run;
    made.shard = options.own_shard;
    made.asked = options.asked;
    for (const VerifiedRecording& one : run.recordings) {
        if (one.from_cache) {
            made.recordings.push_back(*one.from_cache);
            continue;
        }
        ReportedRecording& to = made.recordings.emplace_back(
            report_of(one, one.report ? failure_page(*one.report, options) : std::vector<PageRow>(),
                      recording_json(one, options), run, options, console));
        if (!one.report) {
            continue;
        }
        if (!one.report->failures.empty()) {
            const FailedTrial& shown = foremost(*one.report);
            to.drive = to_string(shown.plan.drive);
            to.reason += to.reason.empty() ? shown.result.reason : "";
            add_signature(to, shown);
        }
        if (one.report->grounds.share) {
            to.share = std::make_shared<RecordingShare>(share_of(*one.report, run, options));
        }
    }
    return made;
}

}  // namespace isotick::program
