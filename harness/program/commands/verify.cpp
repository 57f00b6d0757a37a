#include "../command/command.hpp"
#include "../options/options.hpp"
#include "../options/vary_option.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "../reporters/reporter.hpp"
#include "verify_setup.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/verify.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::Result;
using harness::FailedTrial;
using harness::Verdict;
using harness::VerifyReport;

void show_output(const VerifyReport& report, Console& console) {
    for (const FailedTrial& failure : report.failures) {
        if (!failure.result.output.empty()) {
            console.printed(fmt::format("trial {}", failure.number), failure.result.output);
            return;
        }
    }
}

std::string without_colors(std::string_view text) {
    static const std::regex color("\x1b\\[[0-9;]*m");
    return std::regex_replace(std::string(text), color, "");
}

// On stdout, and in the report's folder where one is wanted.
// What is more than text for the user may be passed on: it shows what may be shared.
Result<void> show(VerifyRun& run, const VerifyCommandOptions& options, const Prepared& prepared,
                  std::optional<OutputFolder>& folder, Console& console) {
    const auto& recordings = run.recordings;
    if (options.json) {
        run.show_environment(prepared.shared_environment);
    }
    if (options.json || recordings.size() > 1 || recordings.front().report) {
        console.print(reporter_of(options).verify(run, options, console));
    }  // else stderr has said all there is to say
    if (!folder) {
        return {};
    }
    run.show_environment(prepared.shared_environment);
    for (const Reporter* reporter : reporters()) {
        const std::string report = without_colors(reporter->verify(run, options, console));
        ISOTICK_TRY(folder->write(reporter->file, core::printable_lines(report)));
    }
    return folder->complete();
}

// Some pass that --strict does not let pass.
bool fails_strictly(const VerifyRun& run, const VerifyCommandOptions& options) {
    return std::ranges::any_of(run.recordings, [&](const VerifiedRecording& one) {
        return one.report && !strict_reasons(*one.report, options).empty();
    });
}

Result<void> check_one(const VerifyCommandOptions& options, const Prepared& prepared,
                       const replay::Reader& reader, const harness::SimulationFacts& facts) {
    ISOTICK_TRY(harness::check_match(reader.head(), facts));
    ISOTICK_TRY(varied_axes(with_rollback(options.vary, options.rollback), reader.head(),
                            prepared.environment,
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
                        const harness::VerifyOptions& usual, const Prepared& prepared,
                        VerifyRun& run, Console& console) {
    ISOTICK_TRY_ASSIGN(auto verified, verify_recording(recording, options, usual, prepared));
    show_output(verified.report, console);
    const Verdict verdict = verified.report.verdict;
    run.add({recording, verdict, std::move(verified.report), {}});
    return {};
}

// None where there is to be none. Before what is there is replaced: is it read?
Result<std::optional<OutputFolder>> report_folder(const VerifyCommandOptions& options,
                                                  const Prepared& prepared) {
    if (options.report.empty()) {
        return std::nullopt;
    }
    auto read = files_read(options, prepared.schedule, options.recorded_by);
    read.insert(read.end(), options.recordings.begin(), options.recordings.end());
    std::vector<std::string> names;
    for (const Reporter* reporter : reporters()) {
        names.emplace_back(reporter->file);
        ISOTICK_TRY(check_is_not_read(options.report + "/" + names.back(), read));
    }
    return OutputFolder::create("--report", options.report, std::move(names))
        .map([](OutputFolder&& folder) { return std::optional(std::move(folder)); });
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
    auto folder = report_folder(options, *prepared);
    if (!folder) {
        return fail_with(folder.error(), console);
    }
    VerifyRun run;
    run.environment = prepared->environment;
    for (const std::string& recording : options.recordings) {
        const auto verified = verify_one(recording, options, *verify, *prepared, run, console);
        if (verified) {
            continue;
        }
        const int code = fail_with(verified.error(), console);
        if (code == 2) {
            return code;
        }
        // A recording that cannot be verified is a result too: the others go on.
        run.add({recording, code == 5 ? Verdict::crashed : Verdict::unreadable, std::nullopt,
                 verified.error().message});
    }
    if (const auto shown = show(run, options, *prepared, *folder, console); !shown) {
        console.error(describe(shown.error()));
        run.verdict = graver(run.verdict, Verdict::unreadable);
    }
    const bool may_pass = run.verdict == Verdict::identical || run.verdict == Verdict::inconclusive;
    return may_pass && fails_strictly(run, options) ? 1 : exit_code(run.verdict);
}

int run_verify(const VerifyCommandOptions& given, Console& console) {
    const auto chosen = with_loops_chosen(given);
    if (!chosen) {
        return fail_with(chosen.error(), console);
    }
    return verify_all(*chosen, console);
}

Action declare_verify(OptionList& list, CommandFrame& frame) {
    auto options = common_options<VerifyCommandOptions>(list, frame);
    list.arguments("recordings", options->recordings, "The recordings");
    add_simulation(list, *options, "Replaces the simulation that the recordings name");
    list.number("--trials", options->trials, "Trials per recording, one nominal (1 tick a frame)",
                1);
    list.text("--for", options->budget, "TIME",
              "Instead of --trials: run for this long or until one fails: 60s, 5m");
    list.choice("--bursts", options->bursts, {"auto", "none"},
                "Start most trials of a long session partway through");
    list.text("--seed", options->seed, "SEED",
              "Root seed of the trials: a number or random; default: from the session");
    add_vary(list, options->vary, "KEY=A,B",
             "Setting or axis that must not matter: try each value; repeatable");
    add_rollback(list, options->rollback);
    list.text("--perturb", options->perturb, "LIST|default|all|none",
              "Axes to vary (see AXES.md): time-zone,cpu or all,-cpu; usually default");
    add_fields(list, options->fields, options->recorded_by);
    list.choice("--audit", options->audit, {"quick", "none"},
                "Look for state that the hash does not cover");
    list.flag("--detect-only", options->detect_only,
              "Do not confirm, shrink, or explain failures; for timing runs");
    list.text("--report", options->report, "FOLDER",
              "Also leave the report there: report.txt, report.json, report.md");
    add_verbose(list, *options);
    add_with_environment(list, *options);
    list.flag("--strict", options->strict,
              "Also exit with 1 on unfinished recordings, blind spots, bad shutdowns");
    add_host(list, *options,
             "After the nominal schedule, use this one or a capture, not random ones");
    list.describe("--loop", "Main loop; all: every constant-dt one; see isotick loops");
    add_shrink(list, options->shrink);
    add_frames(list, options->most_frames);
    add_worker(list, options->worker, true);
    return [options, &frame] { return run_verify(*options, frame.console); };
}

}  // namespace

extern const Command kVerifyCommand;
const Command kVerifyCommand{"verify", "Replay recordings under many schedules; give one verdict",
                             "Example:\n"
                             "  isotick verify s.isotick --trials 200\n"
                             "  isotick verify s.isotick --vary workers=1,2,4,8",
                             declare_verify};

}  // namespace isotick::program
