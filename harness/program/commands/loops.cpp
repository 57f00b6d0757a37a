#include "../command/command.hpp"
#include "../json/report_json.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"

#include <isotick/core/loops.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {
namespace {

struct LoopsOptions : CommonOptions {
    std::string chosen;  ///< the one to describe; empty: list all
};

using core::LoopInfo;

std::string loop_description(const LoopInfo& info) {
    std::string text = std::string(info.name) + "\n";
    text += row("summary", info.summary);
    text += row("source", info.source);
    text += row("dt", info.constant_dt ? "constant: must not affect any simulation"
                                       : "changes: a simulation that uses dt diverges");
    text += row("ticks", info.varies_ticks_per_frame ? "as many per frame as fit its length"
                                                     : "always one per frame");
    text += row("thread", info.own_thread ? "the simulation runs on its own thread" : "");
    text += row("alpha", info.blends ? "" : "always 0: there is nothing to blend");
    text += row("options", joined({info.options.begin(), info.options.end()}));
    return text;
}

std::string list(bool constant_dt) {
    std::size_t width = 0;
    for (const LoopInfo& info : core::loops()) {
        width = std::max(width, info.name.size());
    }
    std::string text;
    for (const LoopInfo& info : core::loops()) {
        if (info.constant_dt == constant_dt) {
            text += fmt::format("  {:<{}}  {}\n", info.name, width, info.summary);
        }
    }
    return text;
}

int run_loops(const LoopsOptions& options, Console& console) {
    if (options.chosen.empty()) {
        console.print(options.json
                          ? loops_json(core::loops())
                          : "dt is constant; verify --loop all tries them all\n" + list(true) +
                                "\ndt changes; choose by name\n" + list(false));
        return 0;
    }
    const auto loop = core::parse_loop(options.chosen);
    if (!loop) {
        return fail_with(loop.error(), console);
    }
    const LoopInfo& info = core::info_of(loop->kind);
    console.print(options.json ? loops_json({&info, 1}) : loop_description(info));
    return 0;
}

Action declare_loops(OptionList& list, CommandFrame& frame) {
    auto options = common_options<LoopsOptions>(list, frame);
    list.argument("loop", options->chosen, "The loop to describe");
    return [options, &frame] { return run_loops(*options, frame.console); };
}

}  // namespace

extern const Command kLoopsCommand;
const Command kLoopsCommand{"loops", "List the loops that can drive a simulation",
                            "Example:\n"
                            "  isotick loops semi-fixed",
                            declare_loops};

}  // namespace isotick::program
