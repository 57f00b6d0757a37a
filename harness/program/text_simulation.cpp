#include "text_simulation.hpp"

#include <isotick/harness/simulation_facts.hpp>

#include <algorithm>

namespace isotick::program {

core::Result<const isotick_simulation_table*> text_simulation(
    const std::string& option, const std::string& name, harness::SimulationCatalog& catalog,
    const harness::WorkerOptions& worker) {
    if (!option.empty()) {
        if (const auto facts = harness::facts_from_worker(option, worker); !facts) {
            return tl::unexpected(facts.error());
        }
        return catalog.open(option);
    }
    const auto built_in = catalog.built_in();
    const auto found = std::ranges::find_if(
        built_in, [&](const auto* table) { return name == table->info->name; });
    return found == built_in.end() ? nullptr : *found;
}

}  // namespace isotick::program
