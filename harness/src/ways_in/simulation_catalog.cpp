#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/simulation_catalog.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

SimulationCatalog::SimulationCatalog(std::vector<const isotick_simulation_table*> built_in)
    : built_in_(std::move(built_in)) {}

bool SimulationCatalog::is_library_path(std::string_view text) {
    return !text.starts_with(ProcessSimulation::kPrefix) &&
           (text.find('/') != std::string_view::npos || text.ends_with(".so") ||
            text.ends_with(".dylib"));
}

Result<const isotick_simulation_table*> SimulationCatalog::open(const SimulationName& name) {
    if (!name.is_recorded() && name.text().starts_with(ProcessSimulation::kPrefix)) {
        return open_process(name.text());
    }
    if (!name.is_recorded() && is_library_path(name.text())) {
        return open_library(name.text());
    }
    if (const auto* table = find_built_in(name.text())) {
        return table;
    }
    if (name.is_recorded()) {
        return core::fail(ErrorCode::usage,
                          "names the simulation '" + name.text() + "', but built in are only " +
                              built_in_names() +
                              "; a file never chooses what runs: name a simulation that you trust, "
                              "--sim ./PLUGIN.so or --sim 'exec:COMMAND'");
    }
    return core::fail(ErrorCode::usage, "unknown simulation '" + name.text() + "'; built in are " +
                                            built_in_names() +
                                            "; a plug-in is named by its path, a process by "
                                            "exec: and a command");
}

const isotick_simulation_table* SimulationCatalog::find_built_in(std::string_view name) const {
    const auto found = std::ranges::find_if(
        built_in_, [name](const auto* table) { return name == table->info->name; });
    return found == built_in_.end() ? nullptr : *found;
}

Result<const isotick_simulation_table*> SimulationCatalog::open_process(const std::string& text) {
    if (const auto known = processes_.find(text); known != processes_.end()) {
        return &known->second.table();
    }
    ISOTICK_TRY_ASSIGN(auto process,
                       ProcessSimulation::ask(text.substr(ProcessSimulation::kPrefix.size())));
    return &processes_.emplace(text, std::move(process)).first->second.table();
}

Result<const isotick_simulation_table*> SimulationCatalog::open_library(const std::string& path) {
    if (const auto known = libraries_.find(path); known != libraries_.end()) {
        return &known->second.table();
    }
    ISOTICK_TRY_ASSIGN(auto library, PluginLibrary::load(path));
    return &libraries_.emplace(path, std::move(library)).first->second.table();
}

std::string SimulationCatalog::built_in_names() const {
    std::string names;
    for (const isotick_simulation_table* table : built_in_) {
        names += std::string(names.empty() ? "" : ", ") + table->info->name;
    }
    return names;
}

}  // namespace isotick::harness
