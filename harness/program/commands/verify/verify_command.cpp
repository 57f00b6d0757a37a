#include "../../../src/report/axis_rows.hpp"
#include "../../../src/report/verify_words.hpp"
#include "../../command/command.hpp"
#include "../../command/option_groups.hpp"
#include "../../command/options.hpp"
#include "../../command/recorded_side.hpp"
#include "../../command/vary_option.hpp"
#include "../../output/output_file.hpp"
#include "../../output/report_json.hpp"
#include "../../output/report_words.hpp"
#include "../../output/text.hpp"
#include "report_folder.hpp"
#include "verify_setup.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/match.hpp>
#include <isotick/harness/verify.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::Result;
using harness::FailedTrial;
using harness::Verdict;
using harness::VerifyReport;

constexpr std::size_t kMostMentioned = 3;

std::string names_of(const std::vector<core::LoopOptions>& loops) {
    std::vector<std::string> names;
    for (const core::LoopOptions& loop : loops) {
        names.push_back(to_string(loop));
    }
    return joined(names);
}

std::string headline(const FailedTrial& failure) {
    std::string text = fmt::format("trial {}", failure.number);
    const char* word = "with";
    for (const harness::AxisValue& value : failure.plan.drive.axes) {
        text += fmt::format(" {} {}", std::exchange(word, "and"), in_short(value));
    }
    text += " " + in_words(failure.result.verdict);
    if (failure.result.divergence) {
        text += " at " + when(failure.result, failure.explanation);
    }
    return text;
}

// The failure shown whole: the first explained one, or one that crashed and was shrunk, or the
// first.
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

std::string nan_warning(const VerifyReport& report) {
    if (report.nan.empty()) {
        return "";
    }
    return "the state ends with a NaN at " + report.nan +
           (report.head.nan_policy == "one" ? "" : ": its bits differ from processor to processor");
}

std::string fresh_text(const VerifyReport& report) {
    return report.fresh_trials == 0   ? ""
           : report.fresh_trials == 1 ? ", 1 in a fresh process"
                                      : fmt::format(", {} in fresh processes", report.fresh_trials);
}

std::string report_text(const VerifyReport& report, const VerifyCommandOptions& options,
                        const core::Settings& environment, const Console& console) {
    std::string text = heading(report.recording);
    text += row("session", session_line(report.head.session, report.ticks));
    text += row("digest", to_string(report.session_digest));
    text += row("calls", report.calls ? calls_text(*report.calls) : "");
    text += row("trials", fmt::format("{} run, trial 0 nominal{}, root seed {}", report.trials,
                                      fresh_text(report), root_seed_text(report.seed)));
    text += varied_rows(report.varied, report.head, environment);
    for (const harness::PerturbedAxis& axis : report.perturbed) {
        text += row("perturbed", fmt::format("{} in {} of {}", axis.axis, grouped(axis.trials),
                                             counted(report.trials, "trial")));
    }
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
    text += row("note", report.note);
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

void show_output(const VerifyReport& report, Console& console) {
    for (const FailedTrial& failure : report.failures) {
        if (!failure.result.output.empty()) {
            console.printed(fmt::format("trial {}", failure.number), failure.result.output);
            return;
        }
    }
}

struct Run {
    std::string text;
    std::vector<VerifyReport> reports;
    std::vector<UnreadRecording> unread;
    Verdict verdict = Verdict::identical;
    bool fails_strictly = false;

    void add_text(const std::string& more) { text += (text.empty() ? "" : "\n") + more; }
};

// How many of the recordings have the verdict of the whole run.
std::string recordings_text(const Run& run) {
    const auto has_it = [&run](const auto& one) { return one.verdict == run.verdict; };
    const auto of_it = static_cast<std::uint64_t>(std::ranges::count_if(run.reports, has_it) +
                                                  std::ranges::count_if(run.unread, has_it));
    const std::uint64_t all = run.reports.size() + run.unread.size();
    return (of_it == all ? "" : fmt::format("{} of ", grouped(of_it))) + counted(all, "recording");
}

// A recording that cannot be verified is a result too: the others go on.
void note_unread(const std::string& recording, const core::Error& error, int code, Run& run,
                 const Console& console) {
    const Verdict verdict = code == 5 ? Verdict::crashed : Verdict::unreadable;
    run.verdict = graver(run.verdict, verdict);
    run.unread.push_back({recording, verdict, error.message});
    run.add_text(heading(recording) + row("reason", error.message) + console.verdict(verdict) +
                 "\n");
}

// On stdout, and in the report's folder where one is wanted.
Result<void> show(const Run& run, const VerifyCommandOptions& options, Console& console) {
    const std::string json = options.json || !options.report.empty()
                                 ? verify_json(run.reports, run.unread, run.verdict, options)
                                 : "";
    std::string text = run.text;
    if (options.recordings.size() > 1) {
        text += fmt::format("\n{}  {}\n", console.verdict(run.verdict), recordings_text(run));
    }
    if (options.json) {
        console.print(json);
    } else if (options.recordings.size() > 1 || run.unread.empty()) {
        console.print(text);  // else stderr has said all there is to say
    }
    return options.report.empty() ? Result<void>() : write_report(options.report, text, json);
}

Result<void> check_one(const VerifyCommandOptions& options, const Prepared& prepared,
                       const replay::Reader& reader, const harness::SimulationFacts& facts) {
    ISOTICK_TRY(harness::check_match(reader.head(), facts));
    ISOTICK_TRY(varied_axes(options.vary, reader.head(), prepared.environment,
                            [&facts] { return Result<harness::SimulationFacts>(facts); }));
    return {};
}

// What does not fit is found before any work. What cannot be read, and what crashes, is left to
// the run: it is a result.
Result<void> check_fit(const VerifyCommandOptions& options, const Prepared& prepared) {
    std::map<harness::SimulationName, Result<harness::SimulationFacts>> known;
    for (const std::string& recording : options.recordings) {
        const auto reader = replay::Reader::open(recording);
        if (!reader) {
            continue;
        }
        const auto simulation = simulation_of(reader->head(), options.simulation);
        if (!known.contains(simulation)) {
            known.emplace(simulation, facts_from_worker(simulation, prepared.worker));
        }
        const Result<harness::SimulationFacts>& facts = known.at(simulation);
        const Result<void> fits =
            facts ? check_one(options, prepared, *reader, *facts) : tl::unexpected(facts.error());
        if (!fits && fits.error().code == core::ErrorCode::usage) {
            return tl::unexpected(about(recording, fits.error()));
        }
    }
    return {};
}

Result<void> verify_one(const std::string& recording, const VerifyCommandOptions& options,
                        const harness::VerifyOptions& verify, const Prepared& prepared, Run& run,
                        Console& console) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
    const auto simulation = simulation_of(reader.head(), options.simulation);
    const auto runner = harness::in_worker_processes(simulation, prepared.worker);
    const auto recorded = recorded_side(options.recorded_by, reader.head(), prepared.worker);
    if (!recorded) {
        return tl::unexpected(about(recording, recorded.error()));
    }
    auto how = how_to_verify(verify, options, prepared, reader.head(), simulation);
    if (!how) {
        return tl::unexpected(about(recording, how.error()));
    }
    how->explain.recorded_side = *recorded ? &**recorded : nullptr;
    auto report = harness::verify(recording, *how, runner);
    if (!report) {
        return tl::unexpected(about(recording, report.error()));
    }
    show_output(*report, console);
    run.add_text(report_text(*report, options, prepared.environment, console));
    run.verdict = graver(run.verdict, report->verdict);
    run.fails_strictly = run.fails_strictly || !strict_reasons(*report, options).empty();
    run.reports.push_back(std::move(*report));
    return {};
}

// Before what is there is removed: is it read?
Result<void> prepare_report(const VerifyCommandOptions& options, const Prepared& prepared) {
    auto read = files_read(options, prepared.schedule, options.recorded_by);
    read.insert(read.end(), options.recordings.begin(), options.recordings.end());
    for (const std::string& file : report_files(options.report)) {
        ISOTICK_TRY(check_is_not_read(file, read));
    }
    return prepare_report_folder(options.report);
}

int verify_all(const VerifyCommandOptions& options, Console& console) {
    const auto prepared = prepare(options, "verify", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto verify = verify_options(options, *prepared);
    if (!verify) {
        return fail_with(verify.error(), console);
    }
    if (const auto fits = check_fit(options, *prepared); !fits) {
        return fail_with(fits.error(), console);
    }
    const auto folder =
        options.report.empty() ? Result<void>() : prepare_report(options, *prepared);
    if (!folder) {
        return fail_with(folder.error(), console);
    }
    Run run;
    for (const std::string& recording : options.recordings) {
        const auto verified = verify_one(recording, options, *verify, *prepared, run, console);
        if (verified) {
            continue;
        }
        const int code = fail_with(verified.error(), console);
        if (code == 2) {
            return code;
        }
        note_unread(recording, verified.error(), code, run, console);
    }
    if (const auto shown = show(run, options, console); !shown) {
        console.error(describe(shown.error()));
        run.verdict = graver(run.verdict, Verdict::unreadable);
    }
    const bool may_pass = run.verdict == Verdict::identical || run.verdict == Verdict::inconclusive;
    return may_pass && run.fails_strictly ? 1 : exit_code(run.verdict);
}

int run(const VerifyCommandOptions& given, Console& console) {
    const auto chosen = with_loops_chosen(given);
    if (!chosen) {
        return fail_with(chosen.error(), console);
    }
    return verify_all(*chosen, console);
}

Action declare(OptionList& list, CommandFrame& frame) {
    auto options = common_options<VerifyCommandOptions>(list, frame);
    list.arguments("recordings", options->recordings, "The recordings");
    add_simulation(list, *options, "Instead of the simulation the recordings name");
    list.number("--trials", options->trials, "Trials per recording, the nominal included", 1);
    list.text("--seed", options->seed, "SEED",
              "Root seed of the trials: a number or random; default: from the session");
    add_vary(list, options->vary, "KEY=A,B",
             "What must not matter: trials with each of these values; repeatable");
    list.text("--perturb", options->perturb, "LIST|all|none",
              ("Axes drawn for the trials: " + joined(drawn_axes()) + "; else none").c_str());
    add_fields(list, options->fields, options->recorded_by);
    list.choice("--audit", options->audit, {"quick", "none"},
                "Look for what the hash does not see");
    list.text("--report", options->report, "FOLDER",
              "Also leave the report there, as report.txt and report.json");
    list.flag("--strict", options->strict,
              "Also end with 1 for an unfinished recording or a blind spot");
    add_host(list, *options, "Try this schedule or capture after the nominal one; no random ones");
    list.describe("--loop", "Turns frame times into ticks, or all; see isotick loops");
    add_shrink(list, options->shrink);
    add_frames(list, options->most_frames);
    add_worker(list, options->worker, true);
    return [options, &frame] { return run(*options, frame.console); };
}

}  // namespace

extern const Command kVerifyCommand;
const Command kVerifyCommand{"verify", "Replay recordings under many schedules: one verdict",
                             "Example:\n"
                             "  isotick verify s.isotick --trials 200\n"
                             "  isotick verify s.isotick --vary workers=1,2,4,8",
                             declare};

}  // namespace isotick::program
