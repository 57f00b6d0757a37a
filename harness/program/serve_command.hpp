#pragma once
// `isotick serve`.

#include "options.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

namespace isotick::program {

/// Answers harness/PROTOCOL.md for a simulation on stdin and stdout, until stdin ends.
[[nodiscard]] int run_serve_command(const ServeOptions& options,
                                    harness::SimulationCatalog& catalog, Console& console);

}  // namespace isotick::program
