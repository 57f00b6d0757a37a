#pragma once
// The simulation that export and import ask about inputs, in this process.

#include "options.hpp"

#include <isotick/core/plugin.h>
#include <isotick/harness/simulation_catalog.hpp>

#include <string>

namespace isotick::program {

/// What `--sim` names or, where it is not given, the built-in called `name`; null where there is
/// none. A plug-in is loaded in a worker process first, so that one that cannot be loaded is an
/// error and not the end of this process.
[[nodiscard]] core::Result<const isotick_simulation_table*> text_simulation(
    const std::string& option, const std::string& name, harness::SimulationCatalog& catalog,
    const harness::WorkerOptions& worker);

}  // namespace isotick::program
