#include "bisect_build.hpp"

#include "../../src/bisect/symbols.hpp"
#include "../../src/bisect/unit_search.hpp"
#include "../../src/report/field_rows.hpp"
#include "../command/command.hpp"
#include "../output/console.hpp"
#include "../output/text.hpp"
#include "bisect_json.hpp"
#include "bisect_options.hpp"

#include <isotick/core/detail/try.hpp>

#include <string>

#include <fmt/format.h>

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
              "The usual build: what CMake and others write");
    list.text("--with", options.other, "FLAGS|COMPILER",
              "The other build: extra flags, another compiler, or both");
    list.required("--with");
    list.text(
        "--link", options.link, "COMMAND",
        "sh command that links {objects} into {out}, or your build's own link command; run in "
        "the first unit's folder; default: the units' compiler links a plug-in");
    list.text("--sim", options.simulation, "PATH", "The linked simulation: {out} or exec:COMMAND");
    list.texts("--units", options.units, "PATTERN",
               "Sources or object files that belong to the simulation: '*/game.dir/*'; repeatable");
    list.flag("--units-only", options.units_only, "Find only source files, not functions");
    list.text("--work", options.work, "FOLDER",
              "Where object files and logs are kept; default: isotick/bisect in the user's cache");
    list.seconds("--build-timeout", options.build_timeout_seconds,
                 "A compiler or linker that takes longer fails; 0: never");
    list.number("--build-memory", options.build_memory_mib,
                "MiB that each compiler or linker process may use; 0: no limit");
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

// What two ways to build a simulation came to, for machines.

[[nodiscard]] std::string build_json(const harness::bisect::BuildReport& report,
                                     const BuildOptions& options);

namespace {

using harness::bisect::BuildReport;
using harness::bisect::FunctionCulprit;
using harness::bisect::LeftOut;
using harness::bisect::UnitCulprit;

Json culprit_json(const UnitCulprit& culprit) {
    Json functions = Json::array();
    for (const FunctionCulprit& one : culprit.functions) {
        functions.push_back({{"functions", one.functions},
                             {"reached", one.reached},
                             {"signature", signature_json(one.judgement.signature)}});
    }
    return {{"files", culprit.files},
            {"signature", signature_json(culprit.judgement.signature)},
            {"fields", fields_json(culprit.judgement.fields)},
            {"functions", std::move(functions)},
            {"functions_unknown", text_json(culprit.functions_unknown)}};
}

Json left_out_json(const LeftOut& unit) {
    return {{"file", unit.file}, {"reason", unit.reason}, {"log", unit.log}};
}

}  // namespace

std::string build_json(const BuildReport& report, const BuildOptions& options) {
    Json culprits = Json::array();
    for (const UnitCulprit& culprit : report.culprits) {
        culprits.push_back(culprit_json(culprit));
    }
    Json left_out = Json::array();
    for (const LeftOut& unit : report.left_out) {
        left_out.push_back(left_out_json(unit));
    }
    const bool differs = !report.culprits.empty();
    BuildOptions shared = options;
    shared.environment = shared_environment(options);
    return document({{"recording", options.recording},
                     {"with", options.other},
                     {"verdict", differs ? "diverged" : "identical"},
                     {"recorded_again", report.recorded_again},
                     {"units", report.units},
                     {"differing", report.differing},
                     {"left_out", std::move(left_out)},
                     {"signature", signature_json(report.other.judgement.signature)},
                     {"culprits", std::move(culprits)},
                     {"explains_all", explains_all(report)},
                     {"rest_unknown", report.rest_unknown},
                     {"compiled", report.compiled},
                     {"from_cache", report.from_cache},
                     {"unit_links", report.unit_links},
                     {"function_links", report.function_links},
                     {"again", again(shared)}});
}

namespace {

using harness::Verdict;
using harness::bisect::BuildReport;
using harness::bisect::FunctionCulprit;
using harness::bisect::Judgement;
using harness::bisect::LeftOut;
using harness::bisect::Mixed;
using harness::bisect::UnitCulprit;

std::string outcome(const Judgement& judgement) {
    return std::string(to_string(judgement.finding)) +
           (judgement.signature ? " at " + to_string(*judgement.signature) : "") +
           (judgement.reason.empty() ? "" : ": " + judgement.reason);
}

constexpr std::size_t kMostReached = 8;

std::string function_rows(const FunctionCulprit& one, const UnitCulprit& culprit) {
    const auto& signature = one.judgement.signature;
    const std::string text =
        row(one.functions.size() == 1 ? "  function" : "  together",
            joined(one.functions) + (signature == culprit.judgement.signature
                                         ? ""
                                         : ": diverges at " + to_string(*signature)));
    return text + row("  reaches", harness::bisect::first_names(one.reached, kMostReached));
}

std::string culprit_rows(const UnitCulprit& culprit, bool with_fields) {
    std::string text =
        row(culprit.files.size() == 1 ? "unit" : "units",
            joined(culprit.files) + (culprit.files.size() == 1 ? "" : ", only together"));
    text += row("  diverges", "at " + to_string(*culprit.judgement.signature));
    for (const FunctionCulprit& one : culprit.functions) {
        text += function_rows(one, culprit);
    }
    text += row("  functions",
                culprit.functions_unknown.empty() ? "" : "not known: " + culprit.functions_unknown);
    return text + (with_fields ? harness::differing_rows({}, culprit.judgement.fields,
                                                         "usual → other", kMoreFields)
                               : "");
}

std::string notes(const BuildReport& report) {
    std::string text;
    if (report.recorded_again) {
        text += row("reference",
                    "the recorded inputs, played by the usual build: it does not come "
                    "to the recorded hashes");
    }
    for (const LeftOut& unit : report.left_out) {
        text += row("left out",
                    fmt::format("{}: the compiler {} (log: {})", unit.file, unit.reason, unit.log));
    }
    return text;
}

// What the culprits do not account for.
std::string doubts(const BuildReport& report) {
    std::string text;
    if (!explains_all(report)) {
        text += row("together", "these alone: " +
                                    outcome(report.together ? report.together->judgement
                                                            : report.culprits[0].judgement) +
                                    "; other units matter only with them");
    }
    if (report.rest_unknown) {
        text += row("note", "what the other units do without them could not be judged");
    }
    return text;
}

std::string last_line(const BuildReport& report, const Console& console) {
    if (report.culprits.empty()) {
        return console.verdict(Verdict::identical) + "  built either way\n";
    }
    return console.verdict(Verdict::diverged) + "  because of " +
           counted(report.culprits.size(), "culprit") + "\n";
}

}  // namespace

std::string mixture_text(const Mixed& mixed) {
    return mixed.what + ": " +
           (mixed.failure.empty() ? outcome(mixed.judgement)
                                  : "the link " + mixed.failure + " (log: " + mixed.log + ")");
}

std::string build_text(const BuildReport& report, const BuildOptions& options,
                       const Console& console) {
    std::string text = heading(options.recording + " with " + options.other);
    text += row("units", fmt::format("{} linked, {} with another object file", report.units,
                                     report.differing));
    text += notes(report);
    if (!report.culprits.empty()) {
        text += row("other build", outcome(report.other.judgement));
    }
    const bool with_fields = report.culprits.size() == 1 || !options.fields.empty();
    for (const UnitCulprit& culprit : report.culprits) {
        text += culprit_rows(culprit, with_fields);
    }
    text += report.culprits.empty() ? "" : doubts(report);
    text +=
        row("compiled", fmt::format("{}, and {} from cache", report.compiled, report.from_cache));
    text += row("links",
                fmt::format("{}, and {} for functions", report.unit_links, report.function_links));
    return text + row("again", again(options)) + last_line(report, console);
}

// isotick bisect build: finds the source file that comes to other bits when it is built otherwise.

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
    "bisect build", "Find source files and functions whose results other flags change",
    "Example:\n"
    "  isotick bisect build s.isotick --with='-O3 -ffast-math'\n"
    "  isotick bisect build s.isotick --compile-commands build/compile_commands.json \\\n"
    "    --with=clang --link 'c++ -shared {objects} -o {out} -lm'",
    declare_build};

}  // namespace isotick::program
