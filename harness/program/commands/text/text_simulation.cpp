#include "text_simulation.hpp"

#include "../../options/plugin_guard.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/simulation_facts.hpp>

namespace isotick::program {

core::Result<const isotick_simulation_table*> text_simulation(
    const std::string& option, const std::string& name, harness::SimulationCatalog& catalog,
    const harness::WorkerOptions& worker) {
    if (option.empty()) {
        return catalog.find_built_in(name);
    }
    const auto chosen = harness::SimulationName::chosen(option);
    ISOTICK_TRY(harness::facts_from_worker(chosen, worker));
    return catalog.open(chosen);
}

int run_asking(const std::string& option, const std::function<int()>& command, Console& console) {
    return harness::SimulationCatalog::is_library_path(option) ? run_guarded(command, console)
                                                               : command();
}

}  // namespace isotick::program
