#pragma once
// Which simulations there are: built in, the user's own, in shared libraries, or processes.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulations/plugin_library.hpp>
#include <isotick/harness/detail/simulations/process_simulation.hpp>
#include <isotick/harness/detail/simulations/simulation_name.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Finds simulations. What a user chose is the name of a built-in, `exec:` and a command
/// (ProcessSimulation), or the path of a shared library (anything else with a slash in it, or that
/// ends in `.so` or `.dylib`); what a file names is a built-in or nothing. Libraries stay loaded as
/// long as the catalog lives. Not thread-safe.
class SimulationCatalog {
  public:
    /// The built-ins, each of which must have passed core::check_table and must outlive the
    /// catalog.
    explicit SimulationCatalog(std::vector<const isotick_simulation_table*> built_in);

    [[nodiscard]] static bool is_library_path(std::string_view text);

    /// The table for `name`, valid as long as the catalog. An unknown name fails with `usage` and a
    /// message that lists the names there are.
    [[nodiscard]] core::Result<const isotick_simulation_table*> open(const SimulationName& name);

    /// The built-in called `name`; null where there is none.
    [[nodiscard]] const isotick_simulation_table* find_built_in(std::string_view name) const;

    [[nodiscard]] std::span<const isotick_simulation_table* const> built_in() const {
        return built_in_;
    }

  private:
    [[nodiscard]] core::Result<const isotick_simulation_table*> open_process(
        const std::string& text);
    [[nodiscard]] core::Result<const isotick_simulation_table*> open_library(
        const std::string& path);
    [[nodiscard]] std::string built_in_names() const;

    std::vector<const isotick_simulation_table*> built_in_;
    std::map<std::string, PluginLibrary> libraries_;
    std::map<std::string, ProcessSimulation> processes_;
};

}  // namespace isotick::harness
