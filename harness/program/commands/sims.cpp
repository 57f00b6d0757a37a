// `isotick sims`.

#include "../../src/report/replay_text.hpp"
#include "../../src/system/cleanup_process.hpp"
#include "../../src/system/process.hpp"
#include "../command/command.hpp"
#include "../command/option_list.hpp"
#include "../json/report_json.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/check.hpp>
#include <isotick/harness/detail/process_simulation.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace isotick::program {

// `isotick sims --check`.

struct SimsOptions : CommonOptions {
    std::string check;  ///< the simulation to check; empty: list or describe
    std::vector<std::string> config;
};

/// The options of sims that only a check has.
void add_check_options(OptionList& list, SimsOptions& options);

/// Plays harness/PROTOCOL.md at the simulation that `options.check` names: a process as it is, any
/// other served by this program in a process of its own.
[[nodiscard]] int run_sims_check(const SimsOptions& options, Console& console);

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

namespace {

using harness::SimulationFacts;

std::string players_text(const SimulationFacts& facts) {
    if (facts.least_players == facts.most_players) {
        return std::to_string(facts.most_players);
    }
    return fmt::format("{} to {}, usually {}", facts.least_players, facts.most_players,
                       facts.usual_players);
}

std::string capabilities_text(const SimulationFacts& facts) {
    std::vector<std::string> words;
    if ((facts.capabilities & ISOTICK_QUEUES_CALLS) != 0) {
        words.emplace_back("its own process");
    } else {
        if ((facts.capabilities & ISOTICK_MANY_INSTANCES) != 0) {
            words.emplace_back("several instances in one process");
        }
        if ((facts.capabilities & ISOTICK_OWN_THREADS) != 0) {
            words.emplace_back("its own threads");
        }
    }
    if ((facts.capabilities & ISOTICK_CHANGING_DT) != 0) {
        words.emplace_back("a changing dt");
    }
    if ((facts.capabilities & ISOTICK_CAN_SAVE) != 0) {
        words.emplace_back("snapshots");
    }
    if ((facts.capabilities & ISOTICK_HAS_FIELDS) != 0) {
        words.emplace_back("fields");
    }
    if ((facts.capabilities & ISOTICK_DESCRIBES_INPUTS) != 0) {
        words.emplace_back("inputs in words");
    }
    if (facts.has_bot) {
        words.emplace_back("a bot");
    }
    return joined(words);
}

std::string description(const SimulationFacts& facts) {
    std::string text = heading(facts.name);
    text += row("summary", facts.summary);
    text += row("tick rate", to_string(facts.rate));
    text += row("players", players_text(facts));
    text += row("config", facts.config_help);
    text += row("hashes", facts.hash_algorithm + nans_text(facts.nan_policy));
    text += row("build", facts.build_id);
    text += row("calls", calls_text(facts.calls));
    text += row("has", capabilities_text(facts));
    return text;
}

int run_sims(const SimsOptions& options, const harness::SimulationCatalog& catalog,
             Console& console) {
    if (!options.check.empty()) {
        return run_sims_check(options, console);
    }
    std::vector<SimulationFacts> simulations;
    if (options.simulation.empty()) {
        for (const isotick_simulation_table* table : catalog.built_in()) {
            simulations.push_back(harness::facts_of(*table));
        }
    } else {
        const auto prepared = prepare(options, "sims", console);
        if (!prepared) {
            return fail_with(prepared.error(), console);
        }
        auto facts = facts_from_worker(harness::SimulationName::chosen(options.simulation),
                                       prepared->worker);
        if (!facts) {
            return fail_with(facts.error(), console);
        }
        simulations.push_back(std::move(*facts));
    }
    if (options.json) {
        console.print(sims_json(simulations));
    } else if (!options.simulation.empty()) {
        console.print(description(simulations.front()));
    } else {
        std::size_t width = 0;
        for (const SimulationFacts& facts : simulations) {
            width = std::max(width, facts.name.size());
        }
        for (const SimulationFacts& facts : simulations) {
            console.print(fmt::format("{:<{}}  {}\n", printable(facts.name), width,
                                      printable(facts.summary)));
        }
    }
    return 0;
}

Action declare_sims(OptionList& list, CommandFrame& frame) {
    auto options = common_options<SimsOptions>(list, frame);
    list.argument("simulation", options->simulation,
                  "What to describe: a built-in, a plug-in's path, or exec:COMMAND");
    add_check_options(list, *options);
    return [options, &frame] { return run_sims(*options, frame.catalog, frame.console); };
}

}  // namespace

extern const Command kSimsCommand;
const Command kSimsCommand{"sims", "List the simulations, describe or check one",
                           "Example:\n"
                           "  isotick sims --check 'exec:python3 my_sim.py'",
                           declare_sims};

}  // namespace isotick::program
