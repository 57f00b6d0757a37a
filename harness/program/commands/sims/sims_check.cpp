#include "sims_check.hpp"

#include "../../../src/platform/processes/cleanup_process.hpp"
#include "../../../src/platform/processes/process.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/check.hpp>
#include <isotick/harness/detail/simulations/process_simulation.hpp>
#include <isotick/harness/detail/simulations/simulation_facts.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::CheckOutcome;
using harness::CheckReport;
using harness::CheckResult;
using harness::ProcessSimulation;

constexpr double kMostSeconds = 86'400;

// The command that is the simulation, or serves it.
Result<std::string> command_for(const SimsOptions& options, const Prepared& prepared) {
    if (options.check.starts_with(ProcessSimulation::kPrefix)) {
        return options.check.substr(ProcessSimulation::kPrefix.size());
    }
    // What cannot be loaded is no finding.
    const auto simulation = harness::SimulationName::chosen(options.check);
    ISOTICK_TRY(facts_from_worker(simulation, prepared.worker));
    std::error_code error;
    const auto program = std::filesystem::read_symlink(prepared.worker.executable, error);
    if (error) {
        return core::fail(ErrorCode::io, "cannot find this program: " + error.message());
    }
    return "exec " + in_quotes(program.string()) + " serve --sim " + in_quotes(options.check);
}

Result<harness::CheckOptions> check_options(const SimsOptions& options, const Prepared& prepared) {
    ISOTICK_TRY_ASSIGN(auto config, settings_option("--config", options.config));
    if (prepared.worker.timeout_ms == 0) {
        return core::fail(ErrorCode::usage, "--timeout: a check needs one above 0");
    }
    const double seconds = std::min(options.worker.timeout_seconds, kMostSeconds);
    return harness::CheckOptions{.config = std::move(config),
                                 .environment = prepared.environment,
                                 .timeout = std::chrono::milliseconds(std::max<std::int64_t>(
                                     1, static_cast<std::int64_t>(seconds * 1000)))};
}

std::string check_text(const CheckResult& check) {
    switch (check.outcome) {
        case CheckOutcome::ok:
            return fmt::format("  ok    {:<15}{}\n", check.name, printable(check.expected));
        case CheckOutcome::failed:
            return fmt::format("  FAIL  {:<15}{}\n        {:<15}{}\n        {:<15}{}\n", check.name,
                               printable(check.expected), "  came", printable(check.came),
                               "  to do", printable(check.advice));
        case CheckOutcome::left_out:
            break;
    }
    return fmt::format("  --    {:<15}{}\n", check.name, printable(check.came));
}

std::string summary(const CheckReport& report, const Console& console) {
    const std::size_t failed = report.count(CheckOutcome::failed);
    const std::size_t left_out = report.count(CheckOutcome::left_out);
    const std::size_t played = report.checks.size() - left_out;
    const auto verdict = failed == 0 ? harness::Verdict::identical : harness::Verdict::diverged;
    return console.headline(failed == 0 ? "passed" : "failed", verdict) +
           (failed == 0 ? fmt::format("  {} checks", played)
                        : fmt::format("  {} of {} checks", failed, played)) +
           (left_out == 0 ? "\n" : fmt::format(", {} left out\n", left_out));
}

std::string check_report(const std::string& simulation, const CheckReport& report,
                         const Console& console) {
    std::string text = heading(simulation) + row("simulation", report.simulation) + "\n";
    for (const CheckResult& check : report.checks) {
        text += check_text(check);
    }
    return text + "\n" + summary(report, console);
}

}  // namespace

void add_check_options(OptionList& list, SimsOptions& options) {
    list.text("--check", options.check, "NAME|PATH|exec:COMMAND",
              "Test this one with every verb and every error; say what is wrong");
    add_settings(list, "--config", options.config,
                 "Config for the simulation to check; repeatable");
    add_settings(list, "--environment", options.environment,
                 "Environment for the simulation to check; repeatable");
    list.seconds("--timeout", options.worker.timeout_seconds,
                 "How long a check waits for an answer");
    for (const char* only : {"--config", "--environment", "--timeout"}) {
        list.needs(only, "--check");
    }
    list.excludes("--check", {"simulation"});
}

int run_sims_check(const SimsOptions& options, Console& console) {
    const auto prepared = prepare(options, "sims", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto how = check_options(options, *prepared);
    if (!how) {
        return fail_with(how.error(), console);
    }
    const auto command = command_for(options, *prepared);
    if (!command) {
        return fail_with(command.error(), console);
    }
    if (const auto started = harness::start_cleanup_process(); !started) {
        return fail_with(started.error(), console);  // before it would be adopted, and ended
    }
    harness::adopt_orphans();
    const auto report = harness::check_process(*command, *how);
    harness::end_children();  // what the processes left behind
    if (!report) {
        return fail_with(report.error(), console);
    }
    for (const CheckResult& check : report->checks) {
        if (!check.printed.empty()) {
            console.printed("check " + check.name, check.printed);
        }
    }
    console.print(options.json ? check_json(options.check, *report)
                               : check_report(options.check, *report, console));
    return report->count(CheckOutcome::failed) == 0 ? 0 : 1;
}

}  // namespace isotick::program
