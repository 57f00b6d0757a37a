#include "replay_run.hpp"

#include "../../../src/explain/look_into_divergence.hpp"
#include "../../../src/serve/stdout_aside.hpp"
#include "../../options/recorded_side.hpp"
#include "../../options/vary_option.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/capture.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <functional>
#include <utility>

namespace isotick::program {
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
            plan.dump = harness::DumpRequest{file.place().string(), std::nullopt};
            wanted.state.emplace(std::move(file));
        });
    }
    if (!options.print.empty()) {
        return harness::SharedFile::make().map([&](harness::SharedFile&& file) {
            plan.dump = harness::DumpRequest{file.path(), std::nullopt};
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
                                            : harness::MappedFile::open(plan.dump->path));
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
                                    recorded_schedule(replayed.head.notes), record},
                                   "in a fresh process");
    }
    if (ran && replayed.state) {
        ran = replayed.state->complete();
    }
    return ran.map([&] { return std::move(replayed); });
}

}  // namespace isotick::program
