#include "minimize_report.hpp"

#include "../../../src/report/failure/failure_rows.hpp"
#include "../../output/report_words.hpp"
#include "../../output/text.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/drive.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {
namespace {

constexpr std::size_t kMostListed = 10;

std::string minimized_player_name(std::uint32_t player) {
    return player == ISOTICK_WORLD ? "the world" : fmt::format("player {}", player);
}

// `166 inputs left: 7 changes, and what is held on from there`
std::string what_is_left(const harness::FewerInputs& inputs, std::uint64_t present) {
    const std::string left = counted(present, "input") + " left";
    return present == inputs.kept.size() ? left
                                         : fmt::format("{}: {}, each held from there on", left,
                                                       counted(inputs.kept.size(), "change"));
}

std::string input_rows(const harness::FewerInputs& inputs, std::uint64_t present) {
    std::string text = row(
        "inputs",
        present == 0
            ? fmt::format("none is needed; in {} of both sides", counted(inputs.trials, "trial"))
            : fmt::format(
                  "{}; in {} of both sides{}", what_is_left(inputs, present),
                  counted(inputs.trials, "trial"),
                  inputs.unfinished.empty() ? "" : "; not to the end: " + inputs.unfinished));
    for (std::size_t i = 0; i < std::min(inputs.kept.size(), kMostListed); ++i) {
        text += row("", fmt::format("tick {}, {}", inputs.kept[i].tick.value,
                                    minimized_player_name(inputs.kept[i].player)));
    }
    if (inputs.kept.size() > kMostListed) {
        text += row("", fmt::format("and {} more", inputs.kept.size() - kMostListed));
    }
    return text;
}

}  // namespace

std::string minimized_text(const harness::VerifyReport& report, const harness::FailedTrial& trial,
                           const Minimized& minimized, const MinimizeOptions& options) {
    std::string text = heading(options.output);
    text += row("session", session_line(report.head.session, minimized.ticks));
    text += row("from", fmt::format("{}, {}", report.recording, counted(report.ticks, "tick")));
    text += row(trial.result.divergence ? "diverges" : "crashes",
                minimized.fails ? "at " + harness::describe_state(minimized.ticks_done)
                                : "no longer, in a fresh process");
    if (trial.plan.drive.loop != core::LoopOptions()) {
        text += row("loop", to_string(trial.plan.drive.loop));
    }
    text += row("schedule", trial.plan.drive.schedule.to_string());
    text += row("shrunk",
                trial.shrinking ? harness::shrinking_text(*trial.shrinking, trial.plan.drive) : "");
    text += minimized.inputs
                ? input_rows(*minimized.inputs, minimized.inputs_present)
                : row("inputs",
                      "all kept: finding the needed ones takes both sides and a loop that only "
                      "goes forward; name the recording's build with --sim-a");
    return text +
           row("to see it", verifying_command(options.output, trial.plan.environment, options));
}

}  // namespace isotick::program
