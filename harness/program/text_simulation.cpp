#include "text_simulation.hpp"

#include "plugin_guard.hpp"

#include <isotick/harness/simulation_facts.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

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

int run_asking(const std::string& option, const std::string& output,
               const std::function<int()>& command, Console& console) {
    if (!harness::SimulationCatalog::is_library_path(option)) {
        return command();
    }
    std::error_code error;
    const bool is_new = !std::filesystem::exists(output, error);
    bool crashed = false;
    const int code = run_guarded(command, console, crashed);
    if (crashed && is_new) {
        std::filesystem::remove(output, error);
    }
    return code;
}

}  // namespace isotick::program
