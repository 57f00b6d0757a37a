#pragma once
// The command line of isotick.

#include <isotick/harness/simulation_catalog.hpp>

namespace isotick::program {

/// Parses the arguments, runs the command, and returns the exit code. Catches everything.
[[nodiscard]] int run_program(int argument_count, const char* const* arguments,
                              harness::SimulationCatalog& catalog);

}  // namespace isotick::program
