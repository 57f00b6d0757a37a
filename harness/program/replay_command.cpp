#include "../src/report/replay_text.hpp"
#include "options.hpp"
#include "replay_run.hpp"
#include "report_json.hpp"
#include "report_words.hpp"
#include "text.hpp"
#include "watch_csv.hpp"

namespace isotick::program {
namespace {

std::string report_text(const Replayed& replayed, const ReplayOptions& options,
                        const Console& console) {
    return replay_rows(replayed,
                       report_words(replayed.plan, replayed.explanation, std::nullopt, options)) +
           console.verdict(replayed.result.verdict) + where_diverged(replayed) + "\n" +
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
        console.print(replay_json(replayed->plan, replayed->result, replayed->explanation,
                                  replayed->printed, options));
    } else {
        console.report(report_text(*replayed, options, console));
    }
    return exit_code(replayed->result.verdict);
}

}  // namespace isotick::program
