#include "options.hpp"

#include <CLI/CLI.hpp>

namespace isotick::program {

void add_inspect_options(CLI::App& app, InspectOptions& options) {
    app.add_option("recording", options.recording, "The recording")->required();
    app.add_option("--ticks", options.ticks,
                   "List inputs and hashes: 100..160 with both ends, 100.., ..160 or 100")
        ->type_name("RANGE");
}

void add_repair_options(CLI::App& app, RepairCommandOptions& options) {
    app.add_option("recording", options.recording, "The recording; is not changed")->required();
    app.add_option("-o,--output", options.output,
                   "Where to write its first ticks, up to the first one lost")
        ->type_name("FILE")
        ->required();
    app.add_flag("--force", options.force, "Replace a recording that exists");
}

}  // namespace isotick::program
