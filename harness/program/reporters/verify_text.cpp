#include "verify_text.hpp"

#include "../../src/report/field_rows.hpp"
#include "../../src/report/replay_text.hpp"
#include "../output/text.hpp"

#include <isotick/core/loops.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::FailedTrial;
using harness::VerifyReport;

constexpr std::size_t kMostMentioned = 3;

std::string names_of(const std::vector<core::LoopOptions>& loops) {
    std::vector<std::string> names;
    for (const core::LoopOptions& loop : loops) {
        names.push_back(to_string(loop));
    }
    return joined(names);
}

constexpr std::size_t kMostAxesNamed = 2;

std::string headline(const FailedTrial& failure) {
    std::string text = fmt::format("trial {}", failure.number);
    const std::vector<harness::AxisValue>& axes = failure.plan.drive.axes;
    if (axes.size() > kMostAxesNamed) {
        text += fmt::format(" with {} axes", axes.size());
    } else {
        const char* word = "with";
        for (const harness::AxisValue& value : axes) {
            text += fmt::format(" {} {}", std::exchange(word, "and"), in_short(value));
        }
    }
    text += " " + in_words(failure.result.verdict);
    if (failure.result.divergence) {
        text += " at " + when(failure.result, failure.explanation);
    }
    return text;
}

// `trial 5 diverged at tick 329, trial 12 …, and 46 more`
std::string others(const VerifyReport& report, const FailedTrial& shown) {
    std::vector<std::string> mentioned;
    for (const FailedTrial& failure : report.failures) {
        if (&failure != &shown && mentioned.size() < kMostMentioned) {
            mentioned.push_back(headline(failure));
        }
    }
    const std::size_t rest = report.failures.size() - 1 - mentioned.size();
    return joined(mentioned) + (rest == 0 ? "" : fmt::format(", and {} more", rest));
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

// `rollback and reload, since the simulation takes no snapshots; cpu, since …`
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
            fmt::format("{} more not run, behind the one that failed", grouped(bursts.skipped)));
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

std::string report_text(const VerifyReport& report, const VerifyRun& run,
                        const VerifyCommandOptions& options, const Console& console) {
    std::string text = heading(report.recording);
    text += row("session", session_line(report.head.session, report.ticks));
    text += row("digest", to_string(report.session_digest));
    text += row("calls", report.calls ? calls_text(*report.calls) : "");
    text += row("trials", fmt::format("{} run, trial 0 nominal{}, root seed {}", report.trials,
                                      fresh_text(report), root_seed_text(report.seed)));
    text += row("bursts", bursts_text(report));
    text += row("budget", budget_text(report));
    text += varied_rows(report.varied, report.head, run.environment);
    text += row("perturbed", perturbed_text(report));
    text += row("not varied", unvaried_text(report));
    text += row("loops", report.loops.size() > 1 ? names_of(report.loops) : "");
    text +=
        row("repro", report.repro.empty() ? ""
                                          : fmt::format("{}: the recording's own, as trial {}",
                                                        report.repro, report.varied.size() + 1));
    if (report.total.frames > 0) {  // else all crashed, and took with them what they had counted
        text += row("compared", counted(report.total.hashes_compared, "hash") + ", " +
                                    ticks_per_frame(report.total));
    }
    text += row("state loads", loads_text(report.total, report.loops));
    text += row("environment", run.leaves_out_values ? left_out_text(run.environment) : "");
    text += row("note", report.note);
    text += row("note", harness::bad_end_text(report.bad_end));
    text += row("warning", nan_warning(report));
    text += failures_text(report, options);
    for (const std::string& reason : report.reasons) {
        text += row("reason", reason);
    }
    for (const harness::BlindSpot& spot : report.blind_spots) {
        text += row("blind spot", to_string(spot));
    }
    if (const auto reasons = strict_reasons(report, options); !reasons.empty()) {
        text += row("strict", "fails: " + joined(reasons));
    }
    const std::string blind = report.blind_spots.empty()
                                  ? ""
                                  : fmt::format(", with {}: see isotick audit",
                                                counted(report.blind_spots.size(), "blind spot"));
    text += row("try", worth_trying(report));
    return text +
           fmt::format("{}  {}{}\n", console.verdict(report.verdict), trials_text(report), blind);
}

// How many of the recordings have the verdict of the whole run.
std::string recordings_text(const VerifyRun& run) {
    const auto of_it = static_cast<std::uint64_t>(
        std::ranges::count(run.recordings, run.verdict, &VerifiedRecording::verdict));
    const std::uint64_t all = run.recordings.size();
    return (of_it == all ? "" : fmt::format("{} of ", grouped(of_it))) + counted(all, "recording");
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

std::string failures_text(const VerifyReport& report, const CommonOptions& options) {
    if (report.failures.empty()) {
        return "";
    }
    const FailedTrial& shown = foremost(report);
    std::string text = "\n  " + heading(headline(shown));
    text += failure_rows(report.head, shown.plan, shown.result, shown.explanation,
                         report_words(shown.plan, shown.explanation, shown.shrinking, options));
    return text + row("others", others(report, shown)) + "\n";
}

std::string verified_text(const VerifiedRecording& one, const VerifyRun& run,
                          const VerifyCommandOptions& options, const Console& console) {
    return one.report ? report_text(*one.report, run, options, console)
                      : heading(one.recording) + row("reason", one.reason) +
                            console.verdict(one.verdict) + "\n";
}

std::string verify_text(const VerifyRun& run, const VerifyCommandOptions& options,
                        const Console& console) {
    std::string text;
    for (const VerifiedRecording& one : run.recordings) {
        text += (text.empty() ? "" : "\n") + verified_text(one, run, options, console);
    }
    if (run.recordings.size() > 1) {
        text += fmt::format("\n{}  {}\n", console.verdict(run.verdict), recordings_text(run));
    }
    return text;
}

}  // namespace isotick::program
