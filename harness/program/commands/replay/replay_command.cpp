#include "../../command/command.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../reporters/reporter.hpp"
#include "replay_run.hpp"
#include "watch_csv.hpp"

namespace isotick::program {
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
    console.report(reporter_of(options).replay(*replayed, options, console));
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
    add_fields(list, options->fields, options->recorded_by);
    add_with_environment(list, *options);
    add_host(list, *options, "Frame times, or a file of them: a capture; nominal by default");
    list.text("--drive", options->drive, "LINE",
              "Loop, schedule and axes in one line, as --json prints them");
    list.excludes("--drive", {"--schedule", "--loop", "--vary", "--rollback"});
    add_frames(list, options->most_frames);
    add_worker(list, options->worker, false);
    list.flag("--in-process", options->in_process,
              "Run in this process, for a debugger; divergences are not confirmed");
    list.excludes("--in-process", {"--fields", "--sim-a", "--timeout", "--memory-limit"});
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
