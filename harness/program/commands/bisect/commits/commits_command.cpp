// isotick bisect commits: finds the commit that changed what a recording comes to.

#include "../../../command/command.hpp"
#include "../../../output/interrupt.hpp"
#include "../bisect_json.hpp"
#include "commits_options.hpp"
#include "commits_text.hpp"

#include <algorithm>
#include <functional>
#include <memory>

namespace isotick::program {
namespace {

using harness::bisect::BisectReport;
using harness::bisect::Regression;

constexpr int kFound = 0;

int exit_code_of(const BisectReport& report) {
    const bool all = std::ranges::all_of(
        report.regressions, [](const Regression& one) { return one.found.size() == 1; });
    return all ? kFound : exit_code(harness::Verdict::inconclusive);
}

int run_commits(const CommitsOptions& options, Console& console) {
    auto plan = bisect_plan(options, console);
    if (!plan) {
        return fail_with(plan.error(), console);
    }
    plan->on_visit = [&console](const harness::bisect::Visit& visit) {
        console.remark(visit_text(visit));
    };
    // One watch for all who ask: each of its own would forget what the others have seen.
    const auto stop = std::make_shared<std::function<bool()>>(stop_when_interrupted());
    plan->stop = [stop] { return (*stop)(); };
    plan->stop();
    const auto report = harness::bisect::bisect(*plan);
    if (!report) {
        return fail_with(report.error(), console);
    }
    console.print(options.json ? commits_json(*report, options) : commits_text(*report, options));
    return exit_code_of(*report);
}

Action declare_commits(OptionList& list, CommandFrame& frame) {
    auto options = common_options<CommitsOptions>(list, frame);
    declare_commits(list, *options);
    return [options, &frame] { return run_commits(*options, frame.console); };
}

}  // namespace

extern const Command kBisectCommitsCommand;
const Command kBisectCommitsCommand{
    "bisect commits", "Find the commit from which on a recording diverges",
    "Example:\n"
    "  isotick bisect commits s.isotick --good v1.0 --bad HEAD \\\n"
    "    --build 'make -C {src} game.so && cp {src}/game.so {out}' --sim '{out}/game.so'",
    declare_commits};

}  // namespace isotick::program
