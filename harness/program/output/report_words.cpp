#include "report_words.hpp"

#include "text.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>

#include <fmt/format.h>

namespace isotick::program {
namespace {

// What ends a trial that does not end by itself.
std::string worker_arguments(const WorkerText& worker) {
    const WorkerText usual;
    std::string text;
    if (worker.timeout_seconds != usual.timeout_seconds) {
        text += fmt::format(" --timeout {}", worker.timeout_seconds);
    }
    if (worker.memory_limit_mib != usual.memory_limit_mib) {
        text += " --memory-limit " + std::to_string(worker.memory_limit_mib);
    }
    return text;
}

std::string simulation_arguments(const CommonOptions& options) {
    std::string text;
    if (!options.simulation.empty()) {
        text += " --sim " + shell_word(options.simulation);
    }
    if (!options.recorded_by.empty()) {
        text += " --sim-a " + shell_word(options.recorded_by);
    }
    return text;
}

std::string environment_arguments(const core::Settings& environment) {
    std::string text;
    for (const auto& [key, value] : environment.entries()) {
        text += " --environment " + shell_word(key + "=" + value);
    }
    return text;
}

}  // namespace

std::string loop_argument(const core::LoopOptions& loop) {
    return loop == core::LoopOptions() ? "" : " --loop " + shell_word(to_string(loop));
}

std::string reproducing_command(const harness::TrialPlan& plan, const CommonOptions& options) {
    std::string text = shell_word(options.program) + " replay " + shell_word(plan.recording) +
                       simulation_arguments(options) + environment_arguments(plan.environment);
    for (const harness::AxisValue& value : plan.drive.axes) {
        text += " --vary " + shell_word(to_string(value));
    }
    if (!plan.drive.has_nominal_frames()) {
        text += " --schedule " + shell_word(plan.drive.schedule.to_string());
        text += loop_argument(plan.drive.loop);
    }
    for (const std::string& path : plan.watch ? plan.watch->fields : std::vector<std::string>()) {
        text += " --watch " + shell_word(path);
    }
    if (plan.most_frames != 0) {
        text += " --most-frames " + std::to_string(plan.most_frames);
    }
    return text + worker_arguments(options.worker);
}

std::string verifying_command(const std::string& recording, const core::Settings& environment,
                              const CommonOptions& options) {
    return shell_word(options.program) + " verify " + shell_word(recording) +
           simulation_arguments(options) + environment_arguments(environment) +
           worker_arguments(options.worker);
}

std::string left_out_text(const core::Settings& shared) {
    return to_string(shared) + ": values are left out here; --with-environment shows them";
}

std::string root_seed_text(std::uint64_t seed) {
    return "0x" + core::to_hex(seed);
}

harness::ReportWords report_words(const harness::TrialPlan& plan,
                                  const std::optional<harness::Explanation>& explanation,
                                  const std::optional<harness::Shrinking>& shrinking,
                                  const CommonOptions& options) {
    return {shrinking ? shrinking_text(*shrinking, plan.drive) : "",
            explanation ? "in a fresh process: same tick, same hash"
            : options.detect_only
                ? "no, and not explained: --detect-only"
                : "no, and not explained: both need other processes (--in-process)",
            reproducing_command(plan, options),
            "--sim-a takes the build that made the recording",
            kMoreFields,
            shrinking && shrinking->unfinished.empty()};
}

}  // namespace isotick::program
