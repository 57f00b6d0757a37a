
#include "../../../src/report/verify_words.hpp"
#include "../../command/command.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../output/text.hpp"
#include "sims_check.hpp"

#include <isotick/harness/detail/simulations/simulation_facts.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace isotick::program {
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
