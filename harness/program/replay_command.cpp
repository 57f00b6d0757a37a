#include "options.hpp"
#include "replay_run.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "text.hpp"
#include "vary_option.hpp"
#include "watch_csv.hpp"

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::TrialResult;
using harness::Verdict;

std::string report_text(const Replayed& replayed, const ReplayOptions& options,
                        const Console& console) {
    const TrialResult& result = replayed.result;
    std::string text = options.recording + "\n";
    text += row("session", session_line(replayed.head.session,
                                        replayed.ticks.value_or(result.statistics.ticks)));
    if (result.statistics.frames > 0) {  // else it crashed, and took with it what it had counted
        text += row("compared",
                    fmt::format("{} in {}, {}", counted(result.statistics.hashes_compared, "hash"),
                                counted(result.statistics.frames, "frame"),
                                ticks_per_frame(result.statistics)));
    }
    if (result.statistics.schedule_repeats > 0) {
        text += row("note", fmt::format("the schedule ended and began again {}",
                                        counted(result.statistics.schedule_repeats, "time")));
    }
    text += row("note", result.note);
    text += row("last hash", result.last_hash ? to_string(*result.last_hash) : "");
    std::string where;
    if (result.verdict == Verdict::identical) {
        text +=
            varied_rows("setting", replayed.plan.varied, replayed.head, replayed.plan.environment);
    } else {
        text += failure_rows(replayed.head, replayed.plan, result, replayed.explanation, options);
        where = result.divergence ? "  at " + when(result, replayed.explanation) : "";
    }
    return text + console.verdict(result.verdict) + where + "\n" +
           (replayed.printed ? printed_text(*replayed.printed) : "");
}

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

}  // namespace

int run_replay_command(const ReplayOptions& options, harness::SimulationCatalog& catalog,
                       Console& console) {
    const auto prepared = prepare(options, "replay", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto replayed = replay_once(options, *prepared, catalog);
    if (!replayed) {
        return fail_with(replayed.error(), console);
    }
    if (!replayed->result.output.empty()) {
        console.remark(printed_output("the simulation", replayed->result.output));
    }
    if (replayed->watched) {
        console.report_to_stderr();
        if (auto printed = print_csv(*replayed->watched, options.watch, console); !printed) {
            return fail_with(printed.error(), console);
        }
    }
    say_what_is_missing(*replayed, options, console);
    if (options.json) {
        console.print(replay_json(replayed->plan, replayed->result, replayed->explanation,
                                  replayed->printed, options));
    } else {
        console.report(report_text(*replayed, options, console));
    }
    return exit_code(replayed->result.verdict);
}

}  // namespace isotick::program
