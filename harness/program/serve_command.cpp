#include "serve_command.hpp"

#include "../src/serve/stdout_aside.hpp"

#include <isotick/harness/serve.hpp>

#include <unistd.h>

namespace isotick::program {

int run_serve_command(const ServeOptions& options, harness::SimulationCatalog& catalog,
                      Console& console) {
    const harness::StdoutAside aside;  // stdout is for answers, whatever the simulation prints
    const auto table = catalog.open(harness::SimulationName::chosen(options.simulation));
    if (!table) {
        return fail_with(table.error(), console);
    }
    const auto served = harness::serve(**table, STDIN_FILENO, aside.real_stdout());
    return served ? 0 : fail_with(served.error(), console);
}

}  // namespace isotick::program
