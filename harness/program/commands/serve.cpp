#include "../../src/system/system_calls.hpp"
#include "../command/command.hpp"
#include "../options/options.hpp"

#include <isotick/harness/serve.hpp>

#include <unistd.h>

namespace isotick::program {
namespace {

struct ServeOptions {
    std::string simulation;
};

int run_serve(const ServeOptions& options, harness::SimulationCatalog& catalog, Console& console) {
    const harness::StdoutAside aside;  // stdout is for answers, whatever the simulation prints
    const auto table = catalog.open(harness::SimulationName::chosen(options.simulation));
    if (!table) {
        return fail_with(table.error(), console);
    }
    const auto served = harness::serve(**table, STDIN_FILENO, aside.real_stdout());
    return served ? 0 : fail_with(served.error(), console);
}

Action declare_serve(OptionList& list, CommandFrame& frame) {
    auto options = std::make_shared<ServeOptions>();
    options->simulation = frame.only_simulation();
    list.text("--sim", options->simulation, "NAME|PATH", "A built-in, or the path of a plug-in");
    list.required("--sim", options->simulation.empty());
    return [options, &frame] { return run_serve(*options, frame.catalog, frame.console); };
}

}  // namespace

extern const Command kServeCommand;
const Command kServeCommand{
    "serve", "Serve a simulation to an isotick elsewhere",
    "Example:\n"
    "  isotick verify s.isotick --sim 'exec:ssh arm isotick serve --sim ./game.so'\n"
    "\n"
    "Answers requests on stdin, as harness/PROTOCOL.md specifies, until it ends.",
    declare_serve};

}  // namespace isotick::program
