#include "report_words.hpp"

#include "text.hpp"
#include "vary_option.hpp"

#include <fmt/format.h>

namespace isotick::program {
namespace {

// What ends a trial that does not end by itself.
std::string limit_arguments(const harness::TrialPlan& plan, const WorkerText& worker) {
    const WorkerText usual;
    std::string text;
    if (plan.most_frames != 0) {
        text += " --most-frames " + std::to_string(plan.most_frames);
    }
    if (worker.timeout_seconds != usual.timeout_seconds) {
        text += fmt::format(" --timeout {}", worker.timeout_seconds);
    }
    if (worker.memory_limit_mib != usual.memory_limit_mib) {
        text += " --memory-limit " + std::to_string(worker.memory_limit_mib);
    }
    return text;
}

}  // namespace

std::string loop_arguments(const LoopText& loop) {
    const LoopText usual;
    std::string text;
    if (loop.longest_frame != usual.longest_frame) {
        text += " --longest-frame " + shell_word(loop.longest_frame);
    }
    if (loop.most_ticks != usual.most_ticks) {
        text += " --most-ticks " + std::to_string(loop.most_ticks);
    }
    if (loop.time_scale != usual.time_scale) {
        text += " --time-scale " + shell_word(loop.time_scale);
    }
    if (loop.start_phase != usual.start_phase) {
        text += " --start-phase " + shell_word(loop.start_phase);
    }
    return text;
}

std::string reproducing_command(const harness::TrialPlan& plan, const CommonOptions& options) {
    std::string text = shell_word(options.program) + " replay " + shell_word(plan.recording);
    if (!options.simulation.empty()) {
        text += " --sim " + shell_word(options.simulation);
    }
    for (const auto& [key, value] : plan.environment.entries()) {
        text += " --environment " + shell_word(key + "=" + value);
    }
    for (const harness::VariedSetting& setting : plan.varied) {
        text += " " + vary_argument(setting);
    }
    if (!is_nominal(plan)) {
        text += " --schedule " + shell_word(plan.schedule.to_string());
        text += loop_arguments(options.loop);
    }
    for (const std::string& path : plan.watch ? plan.watch->fields : std::vector<std::string>()) {
        text += " --watch " + shell_word(path);
    }
    return text + limit_arguments(plan, options.worker);
}

harness::ReportWords report_words(const harness::TrialPlan& plan,
                                  const std::optional<harness::Explanation>& explanation,
                                  const CommonOptions& options) {
    return {explanation ? "in a fresh process: same tick, same hash"
                        : "no, and not explained: that takes other processes than this one "
                          "(--in-process)",
            reproducing_command(plan, options), "--sim-a takes the build that made the recording",
            kMoreFields};
}

}  // namespace isotick::program
