// isotick bisect build: finds the source file that comes to other bits when it is built otherwise.

#include "../../../command/command.hpp"
#include "../../../output/interrupt.hpp"
#include "build_json.hpp"
#include "build_options.hpp"
#include "build_text.hpp"

namespace isotick::program {
namespace {

int run_build(const BuildOptions& options, Console& console) {
    auto plan = build_plan(options, console);
    if (!plan) {
        return fail_with(plan.error(), console);
    }
    plan->on_mixture = [&console](const harness::bisect::Mixed& mixed) {
        console.remark(mixture_text(mixed));
    };
    plan->limits.stop = stop_when_interrupted();
    const auto report = harness::bisect::bisect_build(*plan);
    if (!report) {
        return fail_with(report.error(), console);
    }
    console.print(options.json ? build_json(*report, options)
                               : build_text(*report, options, console));
    return exit_code(report->culprits.empty() ? harness::Verdict::identical
                                              : harness::Verdict::diverged);
}

Action declare_build(OptionList& list, CommandFrame& frame) {
    auto options = common_options<BuildOptions>(list, frame);
    declare_build(list, *options);
    return [options, &frame] { return run_build(*options, frame.console); };
}

}  // namespace

extern const Command kBisectBuildCommand;
const Command kBisectBuildCommand{
    "bisect build", "Find the source file and function that other flags change",
    "Example:\n"
    "  isotick bisect build s.isotick --with='-O3 -ffast-math'\n"
    "  isotick bisect build s.isotick --compile-commands build/compile_commands.json \\\n"
    "    --with=clang --link 'c++ -shared {objects} -o {out} -lm'",
    declare_build};

}  // namespace isotick::program
