#include "../command/command.hpp"
#include "../options/options.hpp"
#include "../options/vary_option.hpp"
#include "../output/text.hpp"
#include "../reporters/report_files.hpp"
#include "../reporters/result_file.hpp"
#include "review.hpp"
#include "verdict_cache.hpp"
#include "verify_setup.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/verify.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
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

// On stdout, and in the report's files where some are wanted.
// What is more than text for the user may be passed on: it shows what may be shared.
Result<int> show(VerifyRun& run, const VerifyCommandOptions& options, const Prepared& prepared,
                 ReportFiles& files, Console& console) {
    const auto& recordings = run.recordings;
    if (options.json) {
        run.show_environment(prepared.shared_environment);
    }
    const Report report = report_of(run, options, console);
    if (options.json) {
        console.print(report_json(report));
    } else {
        if (recordings.size() != 1 || recordings.front().report || recordings.front().from_cache) {
            console.print(report_text(report));
        }  // else stderr has said all there is to say
        console.print(ctest_measurements(report));
    }
    if (!files.empty()) {
        run.show_environment(prepared.shared_environment);
        ISOTICK_TRY(files.write(report_of(run, options, console), console));
    }
    return exit_code(report);
}

using KnownVerdicts = std::map<std::string, ReportedRecording>;

// By recording.
KnownVerdicts known_verdicts(const VerifyCommandOptions& options,
                             std::optional<VerdictCache>& cache) {
    KnownVerdicts known;
    for (const std::string& recording : options.recordings) {
        auto found = cache ? cache->find(recording) : std::nullopt;
        if (found) {
            known.emplace(recording, std::move(*found));
        }
    }
    return known;
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
Result<void> check_fit(const VerifyCommandOptions& options, const Prepared& prepared,
                       const KnownVerdicts& cached) {
    std::map<harness::SimulationName, Result<harness::SimulationFacts>> known;
    for (const std::string& recording : options.recordings) {
        if (cached.contains(recording)) {
            continue;
        }
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
    if (options.propose) {
        ISOTICK_TRY(propose(verified, options, usual, prepared, console));
    }
    const Verdict verdict = verified.report.verdict;
    run.add({recording, verdict, std::move(verified.report), {}});
    return {};
}

VerifiedRecording left_out(const std::string& recording) {
    VerifiedRecording one{recording, Verdict::inconclusive, std::nullopt,
                          "interrupted before it was verified"};
    one.left_out = true;
    return one;
}

// With what others may get to see in the environment's place: they may share the cache.
void keep_last(const VerifyRun& run, const VerifyCommandOptions& options, const Prepared& prepared,
               const harness::DependencyLog& log, VerdictCache& cache, Console& console) {
    VerifyRun last;
    last.environment = run.environment;
    last.recordings = {run.recordings.back()};
    last.show_environment(prepared.shared_environment);
    const Report report = report_of(last, options, console);
    cache.keep(report.recordings.front(), log, console);
}

// Before what is there is replaced: is it read?
Result<ReportFiles> report_files(const VerifyCommandOptions& options, const Prepared& prepared) {
    auto read = files_read(options, prepared.schedule, options.recorded_by);
    read.insert(read.end(), options.recordings.begin(), options.recordings.end());
    return ReportFiles::create(options.report, read);
}

// A recording that cannot be verified is a result too: the others go on. Fails where none can.
Result<void> verify_next(const std::string& recording, const VerifyCommandOptions& options,
                         const harness::VerifyOptions& usual, const Prepared& prepared,
                         VerifyRun& run, Console& console) {
    const auto begun = std::chrono::steady_clock::now();
    const auto verified = verify_one(recording, options, usual, prepared, run, console);
    if (!verified && was_interrupted()) {
        run.add(left_out(recording));
        return {};
    }
    if (!verified && verified.error().code == core::ErrorCode::usage) {
        return tl::unexpected(verified.error());
    }
    if (!verified) {
        const int code = fail_with(verified.error(), console);
        run.add({recording, code == 5 ? Verdict::crashed : Verdict::unreadable, std::nullopt,
                 verified.error().message});
    }
    run.recordings.back().seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return {};
}

// Shows what comes of it meanwhile. Where Ctrl-C ends it, the rest is left out.
Result<VerifyRun> verify_each(const VerifyCommandOptions& options,
                              const harness::VerifyOptions& usual, Prepared& prepared,
                              const KnownVerdicts& known, std::optional<VerdictCache>& cache,
                              Console& console) {
    VerifyRun run;
    run.environment = prepared.environment;
    std::optional<InterruptWatch> watch;
    if (options.recordings.size() > 1) {  // else Ctrl-C leaves nothing to report
        watch.emplace();
        prepared.worker.stop = has_unanswered_interrupt;
    }
    std::size_t failed = 0;
    for (const std::string& recording : options.recordings) {
        if (const auto found = known.find(recording); found != known.end()) {
            run.add({recording, found->second.verdict, std::nullopt, {}, 0, found->second});
            continue;
        }
        if (was_interrupted()) {
            run.add(left_out(recording));
            continue;
        }
        if (watch) {
            console.progress_of_run(recording, run.recordings.size(), options.recordings.size(),
                                    failed);
        }
        std::optional<harness::DependencyLog> log;
        if (cache) {
            ISOTICK_TRY_ASSIGN(auto made, harness::DependencyLog::make());
            log.emplace(std::move(made));
            prepared.worker.notes = log->path();
        }
        ISOTICK_TRY(verify_next(recording, options, usual, prepared, run, console));
        const VerifiedRecording& last = run.recordings.back();
        if (watch && !last.left_out && last.verdict != Verdict::identical) {
            ++failed;
            console.remark(recording + ": " + std::string(to_string(last.verdict)));
        }
        if (log && last.verdict == Verdict::identical) {
            keep_last(run, options, prepared, *log, *cache, console);
        }
    }
    console.end_run();
    return run;
}

// Fails where nothing is verified.
Result<int> verify_all(const VerifyCommandOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto prepared, prepare(options, "verify", console));
    ISOTICK_TRY_ASSIGN(const auto usual, verify_options(options, prepared));
    ISOTICK_TRY_ASSIGN(auto cache, VerdictCache::open(options, prepared, console));
    const KnownVerdicts known = known_verdicts(options, cache);
    ISOTICK_TRY(check_fit(options, prepared, known));
    ISOTICK_TRY_ASSIGN(auto files, report_files(options, prepared));
    ISOTICK_TRY_ASSIGN(auto run, verify_each(options, usual, prepared, known, cache, console));
    const auto shown = show(run, options, prepared, files, console);
    if (!shown) {
        console.error(describe(shown.error()));
        return exit_code(graver(run.verdict, Verdict::unreadable));
    }
    return *shown;
}

// Which trials there are must depend on the options alone, and each must be run just once.
Result<void> check_shares_of_trials(const VerifyCommandOptions& options) {
    const auto refuse = [](const std::string& why) {
        return core::fail(core::ErrorCode::usage, why);
    };
    if (options.shard.empty()) {
        return refuse("--shard-trials needs --shard, such as --shard 2/4");
    }
    if (!options.budget.empty()) {
        return refuse(
            "--for: --shard-trials cannot divide trials whose number depends on time; "
            "give --trials");
    }
    if (!options.schedule.empty()) {
        return refuse("--schedule leaves no trials for --shard-trials to divide");
    }
    if (options.seed == "random") {
        return refuse("--seed random: with --shard-trials all parts need the same seed; name one");
    }
    if (options.propose) {
        return refuse(
            "--propose: with --shard-trials every part would propose the same; run it "
            "without");
    }
    return {};
}

// The options of this machine's part of the recordings, or of their trials.
Result<VerifyCommandOptions> with_shard(VerifyCommandOptions options, Console& console) {
    options.asked = options.recordings;
    if (options.shard_trials) {
        ISOTICK_TRY(check_shares_of_trials(options));
    }
    if (options.shard.empty()) {
        return options;
    }
    ISOTICK_TRY_ASSIGN(options.own_shard, parse_shard(options.shard));
    if (options.shard_trials) {
        options.own_shard.by_trials = true;
        console.remark(fmt::format("shard {}: a part of the trials of {}",
                                   to_string(options.own_shard),
                                   counted(options.asked.size(), "recording")));
        return options;
    }
    std::erase_if(options.recordings, [&options](const std::string& recording) {
        return shard_of(recording, options.own_shard.count) != options.own_shard.number;
    });
    console.remark(fmt::format("shard {}: {} of {}", to_string(options.own_shard),
                               grouped(options.recordings.size()),
                               counted(options.asked.size(), "recording")));
    return options;
}

int run_verify(const VerifyCommandOptions& given, Console& console) {
    if (given.quiet) {
        console.hide_progress();
    }
    const auto code = with_shard(given, console)
                          .and_then(with_loops_chosen)
                          .and_then([&console](const VerifyCommandOptions& options) {
                              return verify_all(options, console);
                          });
    return code ? *code : fail_with(code.error(), console);
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
    add_fields(list, options->fields, *options);
    list.choice("--audit", options->audit, {"quick", "none"},
                "Look for state that the hash does not cover");
    list.flag("--detect-only", options->detect_only,
              "Do not confirm, shrink, or explain failures; for timing runs");
    add_report(list, options->report);
    list.text("--shard", options->shard, "PART",
              "Verify a part of the recordings: 2/4 or auto; see isotick merge");
    list.flag("--shard-trials", options->shard_trials,
              "With --shard: divide the trials of each recording instead");
    list.text("--cache", options->cache, "FOLDER",
              "Keep verdicts there; skip what has not changed; default: ISOTICK_CACHE");
    list.text("--cache-key", options->cache_key, "TEXT",
              "What else decides verdicts: data that isotick cannot see");
    list.flag("--no-cache", options->no_cache, "Run everything, in spite of ISOTICK_CACHE");
    list.flag("-q,--quiet", options->quiet, "Show no progress");
    add_verbose(list, *options);
    add_with_environment(list, *options);
    list.texts("--must-reach", options->must_reach, "NAME",
               "Inconclusive unless the session passes this checkpoint; repeatable");
    list.flag("--propose", options->propose,
              "Propose new recordings where the session changed; see isotick review");
    list.flag("--strict", options->strict,
              "Also exit with 1 on unfinished recordings, blind spots, bad shutdowns");
    add_host(list, *options,
             "After the nominal schedule, use this one or a capture, not random ones");
    list.describe("--loop", "Main loop; all: every constant-dt one; see isotick loops");
    add_shrink(list, options->shrink);
    add_frames(list, options->most_frames);
    add_worker(list, options->worker, true);
    return [options, &frame] {
        options->run = run_id(frame.arguments);
        std::vector<std::string> recordings = options->recordings;
        std::ranges::sort(recordings);
        options->same_for_all = run_id(frame.arguments, recordings);
        return run_verify(*options, frame.console);
    };
}

}  // namespace

extern const Command kVerifyCommand;
const Command kVerifyCommand{"verify", "Replay recordings under many schedules; give one verdict",
                             "Example:\n"
                             "  isotick verify s.isotick --trials 200\n"
                             "  isotick verify s.isotick --vary workers=1,2,4,8",
                             declare_verify};

}  // namespace isotick::program
