#pragma once
// Recordings to text and back.

#include "options.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <string>

namespace CLI {
class App;
}

namespace isotick::program {

struct ExportOptions : CommonOptions {
    std::string recording;
    std::string output = "-";
    bool raw = false;
    bool force = false;
};

struct ImportCommandOptions : CommonOptions {
    std::string text;
    std::string output;
    bool force = false;
    bool rehash = false;
};

/// What only these commands have; `options` must outlive `app`.
void add_export_options(CLI::App& app, ExportOptions& options);
void add_import_options(CLI::App& app, ImportCommandOptions& options);

// Each returns the exit code to end with. A plug-in stays loaded in `catalog`.
[[nodiscard]] int run_export_command(const ExportOptions& options,
                                     harness::SimulationCatalog& catalog, Console& console);
[[nodiscard]] int run_import_command(const ImportCommandOptions& options,
                                     harness::SimulationCatalog& catalog, Console& console);

}  // namespace isotick::program
