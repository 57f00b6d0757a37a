#pragma once
// The simulation that export and import ask about inputs, in this process.

#include "../../options/options.hpp"

#include <isotick/core/plugin.h>
#include <isotick/harness/detail/simulations/simulation_catalog.hpp>

#include <functional>
#include <string>

namespace isotick::program {

/// What `--sim` names or, where it is not given, the built-in called `name`; null where there is
/// none. A plug-in is loaded in a worker process first, so that one that cannot be loaded is an
/// error and not the end of this process.
[[nodiscard]] core::Result<const isotick_simulation_table*> text_simulation(
    const std::string& option, const std::string& name, harness::SimulationCatalog& catalog,
    const harness::WorkerOptions& worker);

/// Runs a command that asks the simulation `option` about inputs: a plug-in in a process of its
/// own, where it can do no harm.
[[nodiscard]] int run_asking(const std::string& option, const std::function<int()>& command,
                             Console& console);

}  // namespace isotick::program
