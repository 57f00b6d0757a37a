#pragma once
// `isotick sims`.

#include "options.hpp"

#include <isotick/harness/simulation_catalog.hpp>

namespace isotick::program {

/// Lists the built-in simulations or, with --sim, describes one.
[[nodiscard]] int run_sims_command(const SimsOptions& options,
                                   const harness::SimulationCatalog& catalog, Console& console);

}  // namespace isotick::program
