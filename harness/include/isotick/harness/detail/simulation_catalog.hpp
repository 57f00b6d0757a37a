#pragma once
// Simulations by name: built-in ones, shared libraries, processes.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/process_simulation.hpp>

#include <compare>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

// What names the simulation to run, and whose word that is.

/// The name of a simulation, from a user or from a file. What a user chose may be the path of a
/// plug-in or a command. What a file says (a recording, a text) is looked up among the simulations
/// of this program and nowhere else: no file chooses what is loaded or executed.
class SimulationName {
  public:
    /// What the user wrote after `--sim`, or what calling code spells out.
    [[nodiscard]] static SimulationName chosen(std::string text) {
        return {std::move(text), false};
    }
    /// What stands in a file: RecordingHead::session.simulation.
    [[nodiscard]] static SimulationName recorded(std::string name) {
        return {std::move(name), true};
    }

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool is_recorded() const { return is_recorded_; }

    friend auto operator<=>(const SimulationName&, const SimulationName&) = default;

  private:
    SimulationName(std::string text, bool is_recorded)
        : text_(std::move(text)), is_recorded_(is_recorded) {}

    std::string text_;
    bool is_recorded_;
};

// A simulation in a shared library.

/// A loaded shared library and the simulation table it exports. The library stays loaded for as
/// long as this object lives; its table and everything made from it must not outlive it. Loading
/// runs the library's initializers. Movable; not thread-safe.
class PluginLibrary {
  public:
    /// Loads `path` and checks its table. Fails with `usage` where there is no such file, or it is
    /// not a plug-in that this isotick can use (wrong architecture, missing symbol, null or newer
    /// table): the message says which.
    [[nodiscard]] static core::Result<PluginLibrary> load(const std::string& path);

    ~PluginLibrary();
    PluginLibrary(PluginLibrary&& other) noexcept;
    PluginLibrary& operator=(PluginLibrary&& other) noexcept;

    [[nodiscard]] const isotick_simulation_table& table() const { return *table_; }

  private:
    explicit PluginLibrary(void* handle) : handle_(handle) {}

    void* handle_;
    const isotick_simulation_table* table_ = nullptr;
};

// Which simulations there are: built in, the user's own, in shared libraries, or processes.

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
