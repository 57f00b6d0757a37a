#pragma once
// `isotick sims`.

#include "options.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <CLI/CLI.hpp>

namespace isotick::program {

/// Both must outlive `app`.
void add_sims_options(CLI::App& app, SimsOptions& options);

/// Lists the built-in simulations or describes one; with --check, checks it.
[[nodiscard]] int run_sims_command(const SimsOptions& options,
                                   const harness::SimulationCatalog& catalog, Console& console);

}  // namespace isotick::program
