#include "replay.hpp"

#include "../../src/run/field_watch.hpp"
#include "../../src/study/explain.hpp"
#include "../../src/system/system_calls.hpp"
#include "../command/command.hpp"
#include "../options/options.hpp"
#include "../options/vary_option.hpp"
#include "../output/console.hpp"
#include "../reporters/reporter.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/capture.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::program {

// Watched fields as a table for spreadsheets and plots.

/// Writes `tick,PATH,…` and a line per tick as CSV (RFC 4180, with line feeds) to stdout, as it
/// reads them; an empty cell where a field does not exist. Then says on stderr which never did.
[[nodiscard]] core::Result<void> print_csv(const harness::WatchFile& watched,
                                           const std::vector<std::string>& fields,
                                           Console& console);

namespace {

using core::Result;

std::string cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

std::string line(std::string first, const std::vector<std::string>& others) {
    for (const std::string& other : others) {
        first += "," + cell(other);
    }
    return first + "\n";
}

}  // namespace

Result<void> print_csv(const harness::WatchFile& watched, const std::vector<std::string>& fields,
                       Console& console) {
    constexpr std::size_t kPiece = 65536;
    std::string text = line("tick", fields);
    const auto take = [&](const harness::WatchedTick& tick) -> Result<void> {
        std::vector<std::string> values;
        for (const auto& value : tick.values) {
            values.push_back(value.value_or(""));
        }
        text += line(std::to_string(tick.tick), values);
        if (text.size() < kPiece) {
            return {};
        }
        console.print(text);
        text.clear();
        return console.flush();
    };
    const auto unseen = watched.read(take);
    console.print(text);
    if (!unseen) {
        return tl::unexpected(unseen.error());
    }
    if (auto flushed = console.flush(); !flushed) {  // before what goes to stderr
        return flushed;
    }
    for (const harness::UnseenField& field : *unseen) {
        console.remark("--watch " + fields[field.field] +
                       " has no value at any tick: " + field.missing);
    }
    return {};
}

namespace {

using core::FieldPattern;
using core::Result;
using harness::SimulationFacts;
using harness::TrialPlan;
using harness::TrialResult;
using harness::Verdict;

/// Where the simulation runs: in worker processes, or in this one.
struct Host {
    harness::TrialRunner run;
    std::function<Result<SimulationFacts>()> facts;
};

Result<Host> host_of(const ReplayOptions& options, const harness::SimulationName& simulation,
                     const Prepared& prepared, harness::SimulationCatalog& catalog) {
    if (options.in_process) {
        return catalog.open(simulation).map([](const isotick_simulation_table* table) {
            return Host{harness::in_this_process(*table),
                        [table] { return Result<SimulationFacts>(harness::facts_of(*table)); }};
        });
    }
    return Host{harness::in_worker_processes(simulation, prepared.worker),
                [&prepared, simulation] { return facts_from_worker(simulation, prepared.worker); }};
}

/// What the user wants to see of the states, and the files in which it comes.
struct Wanted {
    std::vector<FieldPattern> print;
    std::optional<harness::SharedFile> last_state;  // where it is wanted but for printing
    std::optional<replay::NewFile> state;
    std::optional<harness::WatchFile> watch;
};

core::Error of_option(const char* option, core::Error error) {
    error.message = std::string(option) + ": " + error.message;
    return error;
}

Result<std::vector<FieldPattern>> print_option(const std::vector<std::string>& texts) {
    std::vector<FieldPattern> paths;
    for (const std::string& text : texts) {
        auto path = FieldPattern::parse(text);
        if (!path) {
            return tl::unexpected(of_option("--print", path.error()));
        }
        paths.push_back(*std::move(path));
    }
    return paths;
}

Result<void> check_watch_option(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        if (const auto path = harness::watched_path(text); !path) {
            return tl::unexpected(of_option("--watch", path.error()));
        }
    }
    return {};
}

// Fails where fields are wanted and the simulation shows none.
Result<void> check_fields(const ReplayOptions& options, const Host& host) {
    const char* option = !options.state.empty()   ? "--state"
                         : !options.print.empty() ? "--print"
                         : !options.watch.empty() ? "--watch"
                                                  : nullptr;
    if (option == nullptr) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto facts, host.facts());
    if ((facts.capabilities & ISOTICK_HAS_FIELDS) == 0) {
        return core::fail(core::ErrorCode::usage,
                          std::string(option) + ": " + facts.name + " does not show its fields");
    }
    return {};
}

// Makes the files, which `plan` then asks the trial to fill.
Result<void> make_files(const ReplayOptions& options, Wanted& wanted, TrialPlan& plan) {
    if (!options.watch.empty()) {
        ISOTICK_TRY_ASSIGN(auto watch, harness::WatchFile::make(options.watch));
        plan.watch = watch.request();
        wanted.watch.emplace(std::move(watch));
    }
    if (!options.state.empty()) {
        return replay::NewFile::create(options.state, false).map([&](replay::NewFile&& file) {
            plan.dumps = {harness::DumpRequest{file.place(), std::nullopt}};
            wanted.state.emplace(std::move(file));
        });
    }
    if (!options.print.empty()) {
        return harness::SharedFile::make().map([&](harness::SharedFile&& file) {
            plan.dumps = {harness::DumpRequest{file.path(), std::nullopt}};
            wanted.last_state.emplace(std::move(file));
        });
    }
    return {};
}

Result<Wanted> want(const ReplayOptions& options, const Host& host, TrialPlan& plan) {
    Wanted wanted;
    return print_option(options.print)
        .and_then([&](std::vector<FieldPattern>&& paths) {
            wanted.print = std::move(paths);
            return check_watch_option(options.watch);
        })
        .and_then([&] { return check_fields(options, host); })
        .and_then([&] { return make_files(options, wanted, plan); })
        .map([&] { return std::move(wanted); });
}

TrialPlan plan_of(const ReplayOptions& options, const Prepared& prepared) {
    TrialPlan plan;
    plan.recording = options.recording;
    plan.environment = prepared.environment;
    plan.drive.schedule = prepared.schedule;
    plan.drive.loop = prepared.loop;
    plan.most_frames = options.most_frames;
    if (options.until) {
        plan.until = core::Tick{*options.until};
    }
    return plan;
}

// Keeps what the trial left of what was wanted.
Result<void> collect(Wanted& wanted, const TrialPlan& plan, Replayed& replayed) {
    if (wanted.watch) {
        replayed.watched.emplace(*std::move(wanted.watch));
    }
    if (!replayed.result.dumped) {
        return {};
    }
    replayed.state = std::move(wanted.state);
    if (wanted.print.empty()) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto dump, wanted.last_state
                                            ? wanted.last_state->read()
                                            : harness::MappedFile::open(plan.dumps.front().path));
    return look_up(dump.bytes(), wanted.print).map([&replayed](PrintedState&& state) {
        replayed.printed = std::move(state);
    });
}

// What --vary adds to the drive of the plan, or --drive puts in its place.
Result<harness::Drive> drive_of(const Host& host, const ReplayOptions& options,
                                const Replayed& replayed) {
    if (!options.drive.empty()) {
        return harness::parse_drive(options.drive, harness::Captures().resolver());
    }
    return varied_axes(with_rollback(options.vary, options.rollback), replayed.head,
                       replayed.plan.environment, host.facts)
        .and_then([&](std::vector<harness::AxisValue>&& axes) {
            harness::Drive drive = replayed.plan.drive;
            drive.axes = std::move(axes);
            return one_value_each(drive.axes).map([&drive] { return std::move(drive); });
        });
}

Result<void> run_on(const Host& host, const ReplayOptions& options, Replayed& replayed) {
    auto drive = drive_of(host, options, replayed);
    if (!drive) {
        return tl::unexpected(about(options.recording, drive.error()));
    }
    replayed.plan.drive = *std::move(drive);
    TrialPlan plan = replayed.plan;
    ISOTICK_TRY_ASSIGN(auto wanted, want(options, host, plan));
    ISOTICK_TRY_ASSIGN(auto results, host.run(std::array{plan}, harness::Isolation::forked));
    replayed.result = std::move(results.front());
    if (replayed.result.verdict == Verdict::crashed) {
        replayed.plan.watch = plan.watch;  // what shows the fields may be what crashed
    }
    if (replayed.result.refused) {
        return tl::unexpected(about(options.recording, *replayed.result.refused));
    }
    if (replayed.result.dump_failed) {
        core::Error error = *replayed.result.dump_failed;
        error.file = options.state;
        return tl::unexpected(error);
    }
    return collect(wanted, plan, replayed);
}

}  // namespace

Result<Replayed> replay_once(const ReplayOptions& options, const Prepared& prepared,
                             harness::SimulationCatalog& catalog) {
    Replayed replayed;
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(options.recording));
    replayed.head = reader.head();
    replayed.ticks = reader.indexed_ticks();
    replayed.plan = plan_of(options, prepared);
    replayed.plan.keep_diverged_state = !options.in_process;
    const auto simulation = simulation_of(replayed.head, options.simulation);
    ISOTICK_TRY_ASSIGN(const auto most_fields, fields_option(options.fields, options.json));
    ISOTICK_TRY_ASSIGN(const auto draws, draws_option(options.draws, most_fields));
    ISOTICK_TRY_ASSIGN(const auto recorded,
                       recorded_side(options.recorded_by, replayed.head, prepared.worker));
    std::optional<harness::StdoutAside> aside;
    if (options.in_process) {
        aside.emplace();
    }
    const auto host = host_of(options, simulation, prepared, catalog);
    auto ran = host ? run_on(*host, options, replayed)
                    : tl::unexpected(about(options.recording, host.error()));
    if (ran && replayed.result.divergence && !options.in_process) {
        const auto record = [&](const harness::RecordPlan& plan) {
            return record_in_worker(simulation, plan, prepared.worker);
        };
        ran = look_into_divergence(replayed, host->run,
                                   {most_fields, recorded ? &*recorded : nullptr,
                                    recorded_schedule(replayed.head.notes), record, draws},
                                   "in a fresh process");
    }
    if (ran && replayed.state) {
        ran = replayed.state->complete();
    }
    return ran.map([&] { return std::move(replayed); });
}

namespace {

void say_what_is_missing(const Replayed& replayed, const ReplayOptions& options, Console& console) {
    if (!options.print.empty() && !replayed.printed) {
        console.remark("--print: the trial ended without a state to look at");
        return;
    }
    for (const PrintedPath& path :
         replayed.printed ? replayed.printed->paths : std::vector<PrintedPath>()) {
        if (!path.missing.empty()) {
            console.remark("--print " + path.path + ": " + path.missing);
        }
    }
}

int run_replay(const ReplayOptions& options, harness::SimulationCatalog& catalog,
               Console& console) {
    const auto prepared = prepare(options, "replay", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    auto replayed = replay_once(options, *prepared, catalog);
    if (!replayed) {
        return fail_with(replayed.error(), console);
    }
    if (!replayed->result.output.empty()) {
        console.printed("the simulation", replayed->result.output);
    }
    if (replayed->watched) {
        console.report_to_stderr();
        if (auto printed = print_csv(*replayed->watched, options.watch, console); !printed) {
            return fail_with(printed.error(), console);
        }
    }
    say_what_is_missing(*replayed, options, console);
    if (options.json) {
        replayed->plan.environment = prepared->shared_environment;
    }
    console.report(options.json ? replay_json(*replayed, options)
                                : replay_text(*replayed, options, console));
    return exit_code(replayed->result.verdict);
}

Action declare_replay(OptionList& list, CommandFrame& frame) {
    auto options = common_options<ReplayOptions>(list, frame);
    list.argument("recording", options->recording, "The recording");
    list.required("recording");
    add_simulation(list, *options, "Instead of the simulation the recording names");
    list.number("--until", options->until, "TICK", "The last tick to replay");
    list.text("--state", options->state, "FILE",
              "Write the last state to FILE, to compare with isotick diff");
    list.texts("--print", options->print, "PATH",
               "Show fields of the last state; [*] is any element, '' all; repeatable");
    list.texts("--watch", options->watch, "PATH",
               "A field at every tick: CSV on stdout, report on stderr; repeatable");
    list.excludes("--watch", {"--json"});
    add_vary(list, options->vary, "KEY=VALUE",
             "What must not matter, at another value: setting or axis; repeatable");
    add_rollback(list, options->rollback);
    add_fields(list, options->fields, *options);
    add_verbose(list, *options);
    add_with_environment(list, *options);
    add_host(list, *options, "Frame times, or a file of them: a capture; nominal by default");
    list.text("--drive", options->drive, "LINE",
              "Loop, schedule and axes in one line, as --json prints them");
    list.excludes("--drive", {"--schedule", "--loop", "--vary", "--rollback"});
    add_frames(list, options->most_frames);
    add_worker(list, options->worker, false);
    list.flag("--in-process", options->in_process,
              "Run in this process, for a debugger; divergences are not confirmed");
    list.excludes("--in-process",
                  {"--fields", "--sim-a", "--draws", "--timeout", "--memory-limit"});
    return [options, &frame] { return run_replay(*options, frame.catalog, frame.console); };
}

}  // namespace

extern const Command kReplayCommand;
const Command kReplayCommand{"replay", "Replay a recording once and compare its hashes",
                             "Example:\n"
                             "  isotick replay s.isotick --schedule '100x16.667ms, 101.4ms'\n"
                             "  isotick replay s.isotick --schedule presentmon.csv\n"
                             "  isotick replay s.isotick --until 1187 --print 'units.health'\n"
                             "  isotick replay s.isotick --watch 'units.health[17]' > health.csv\n"
                             "  gdb --args isotick replay s.isotick --in-process",
                             declare_replay};

}  // namespace isotick::program
