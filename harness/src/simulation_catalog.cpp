#include <isotick/harness/simulation_catalog.hpp>

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

Result<const isotick_simulation_table*> SimulationCatalog::open(const std::string& text) {
    if (text.starts_with(ProcessSimulation::kPrefix)) {
        if (const auto known = processes_.find(text); known != processes_.end()) {
            return &known->second.table();
        }
        auto process = ProcessSimulation::ask(text.substr(ProcessSimulation::kPrefix.size()));
        if (!process) {
            return tl::unexpected(process.error());
        }
        return &processes_.emplace(text, std::move(*process)).first->second.table();
    }
    if (is_library_path(text)) {
        if (const auto known = libraries_.find(text); known != libraries_.end()) {
            return &known->second.table();
        }
        auto library = PluginLibrary::load(text);
        if (!library) {
            return tl::unexpected(library.error());
        }
        return &libraries_.emplace(text, std::move(*library)).first->second.table();
    }
    std::string names;
    for (const isotick_simulation_table* table : built_in_) {
        if (text == table->info->name) {
            return table;
        }
        names += std::string(names.empty() ? "" : ", ") + table->info->name;
    }
    return core::fail(ErrorCode::usage, "there is no simulation '" + text + "'; built in are " +
                                            names +
                                            "; a plug-in is named by its path, a process by "
                                            "exec: and a command");
}

}  // namespace isotick::harness
