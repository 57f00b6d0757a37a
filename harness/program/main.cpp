// The program `isotick`: the command line over the built-in simulations and plug-ins.

#include "command_line.hpp"

#include <isotick/core/reference.hpp>
#include <isotick/harness/simulation_catalog.hpp>
#include <isotick/harness/worker.hpp>

#include <span>

int main(int argc, char** argv) {
    const auto built_in = isotick::core::reference_simulations();
    isotick::harness::SimulationCatalog catalog({built_in.begin(), built_in.end()});
    const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
    if (const auto code = isotick::harness::run_if_worker(arguments, catalog)) {
        return *code;
    }
    return isotick::program::run_program(argc, argv, catalog);
}
