#include "text.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {
namespace {

// In the quotes of bash and zsh that know escapes, all but plain ASCII by its bytes.
std::string spelled_out(std::string_view text) {
    std::string word = "$'";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '\'' || letter == '\\') {
            word += '\\';
            word += letter;
        } else if (byte < 0x20 || byte > 0x7e) {
            word += fmt::format("\\x{:02x}", byte);
        } else {
            word += letter;
        }
    }
    return word + "'";
}

}  // namespace

std::string nans_text(std::string_view policy) {
    return policy == "one" ? " (all NaNs alike)" : "";
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
        return std::string(text);
    }
    return printable(text) == text ? in_quotes(text) : spelled_out(text);
}

std::string in_quotes(std::string_view text) {
    std::string quoted(1, '\'');
    for (const char letter : text) {
        if (letter == '\'') {
            quoted += "'\\''";  // ends the quotes, adds one, begins again
        } else {
            quoted += letter;
        }
    }
    quoted += '\'';
    return quoted;
}

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

std::string debugging_command(const harness::TrialPlan& plan, const CommonOptions& options) {
    if (options.simulation.starts_with("exec:") || !plan.drive.axes.empty()) {
        return "";
    }
    CommonOptions here;  // in one process there are no other builds, and no limits
    here.program = options.program;
    here.simulation = options.simulation;
    return "gdb --args " + reproducing_command(plan, here) + " --in-process";
}

harness::PageWords page_words(const harness::TrialPlan& plan,
                              const std::optional<harness::Explanation>& explanation,
                              const std::optional<harness::Shrinking>& shrinking,
                              const CommonOptions& options) {
    return {.reproduce = reproducing_command(plan, options),
            .debug = debugging_command(plan, options),
            .recorded_side = "--sim-a takes the build that made the recording",
            .more_fields = kMoreFields,
            .unexplained = options.detect_only ? "not looked for: --detect-only" : "not found",
            .shrunk = shrinking ? shrinking_text(*shrinking, plan.drive) : "",
            .confirmed = explanation ? "in a fresh process: same tick, same hash" : "no",
            .plainest = shrinking && shrinking->unfinished.empty(),
            .details = options.verbose};
}

namespace {

using core::SelectedField;

// Where values begin; few long paths do not push them all to the right.
std::size_t column_of_values(const PrintedState& state) {
    constexpr std::size_t kMost = 48;
    std::size_t column = 0;
    for (const PrintedPath& path : state.paths) {
        for (const SelectedField& field : path.fields) {
            if (field.path.size() <= kMost) {
                column = std::max(column, field.path.size());
            }
        }
    }
    return column;
}

}  // namespace

core::Result<PrintedState> look_up(std::span<const std::byte> dump,
                                   const std::vector<core::FieldPattern>& paths) {
    ISOTICK_TRY_ASSIGN(const auto state, core::read_state_dump(dump));
    PrintedState printed{state.head.tick, {}};
    for (const core::FieldPattern& path : paths) {
        PrintedPath& one = printed.paths.emplace_back(PrintedPath{path.text(), {}, {}});
        ISOTICK_TRY_ASSIGN(
            const auto selection,
            core::select_fields(state.fields, path, [&one](const SelectedField& field) {
                one.fields.push_back(field);
            }));
        one.missing = selection.missing;
    }
    return printed;
}

std::string printed_text(const PrintedState& state) {
    const std::size_t column = column_of_values(state);
    std::string text;
    for (const PrintedPath& path : state.paths) {
        for (const SelectedField& field : path.fields) {
            text += fmt::format("  {:<{}}  {}\n", field.path, column, value_of(field));
        }
    }
    if (text.empty()) {
        return text;
    }
    return (state.ticks_done == 0 ? std::string("\ninitial state\n")
                                  : "\nafter " + harness::describe_state(state.ticks_done) + "\n") +
           text;
}

}  // namespace isotick::program
