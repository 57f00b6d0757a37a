#include "build_options.hpp"

#include "../../../output/text.hpp"
#include "../work_option.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::program {
namespace {

using core::Result;
using harness::bisect::BuildPlan;

constexpr const char* kLinked = "{out}";

std::string build_option(const char* name, const std::string& value) {
    return value.empty() ? "" : std::string(" ") + name + " " + shell_word(value);
}

}  // namespace

void declare_build(OptionList& list, BuildOptions& options) {
    options.simulation = kLinked;
    list.argument("recording", options.recording, "The recording");
    list.required("recording");
    list.text("--compile-commands", options.compile_commands, "FILE",
              "How each translation unit is built the usual way: a compile_commands.json");
    list.text("--with", options.other, "FLAGS|COMPILER",
              "The other way: more flags, another compiler, or a compiler and flags");
    list.required("--with");
    list.text("--link", options.link, "COMMAND",
              "Makes {out} of {objects}, or names them as the build does; run by sh in the folder "
              "of the first unit; default: a plug-in, linked by the units' compiler");
    list.text("--sim", options.simulation, "PATH", "What was linked: {out} or exec:COMMAND");
    list.texts("--units", options.units, "PATTERN",
               "Sources or object files that belong to the simulation: '*/game.dir/*'; repeatable");
    list.flag("--units-only", options.units_only, "Do not look for the functions in them");
    list.text("--work", options.work, "FOLDER",
              "Where object files and logs are kept; default: isotick/bisect in the user's cache");
    list.seconds("--build-timeout", options.build_timeout_seconds,
                 "A compiler or linker that takes longer fails; 0: never");
    list.number("--build-memory", options.build_memory_mib,
                "MiB that each of its processes may use; 0: no limit");
    list.number("--jobs", options.worker.jobs, "Compilers at a time; 0: one per processor");
    add_replaying(list, options);
}

Result<BuildPlan> build_plan(const BuildOptions& options, Console& console) {
    BuildPlan plan;
    ISOTICK_TRY_ASSIGN(plan.other, harness::bisect::Way::parse(options.other));
    ISOTICK_TRY_ASSIGN(plan.judge, judge_options(options, console));
    ISOTICK_TRY_ASSIGN(plan.work, make_work_folder(options.work, options.compile_commands));
    plan.compile_commands = options.compile_commands;
    plan.patterns = options.units;
    plan.link = options.link;
    plan.simulation = options.simulation;
    plan.jobs = options.worker.jobs;
    plan.functions = !options.units_only;
    plan.limits.timeout_ms = static_cast<std::uint64_t>(options.build_timeout_seconds * 1000);
    plan.limits.memory_limit = options.build_memory_mib << 20;
    return plan;
}

std::string again(const BuildOptions& options) {
    std::string text =
        shell_word(options.program) + " bisect build " + shell_word(options.recording) +
        build_option("--compile-commands", options.compile_commands) +
        " --with=" + shell_word(options.other) + build_option("--link", options.link);
    if (options.simulation != kLinked) {
        text += build_option("--sim", options.simulation);
    }
    for (const std::string& pattern : options.units) {
        text += build_option("--units", pattern);
    }
    for (const std::string& setting : options.environment) {
        text += build_option("--environment", setting);
    }
    return text + build_option("--drive", options.drive) + build_option("--work", options.work) +
           (options.units_only ? " --units-only" : "");
}

}  // namespace isotick::program
