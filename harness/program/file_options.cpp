#include "options.hpp"

#include <CLI/CLI.hpp>

namespace isotick::program {

void add_inspect_options(CLI::App& app, InspectOptions& options) {
    app.add_option("recording", options.recording, "The recording")->required();
    CLI::Option* layout =
        app.add_flag("--layout", options.layout, "Explain the file byte by byte, damaged or not");
    app.add_option("--ticks", options.ticks,
                   "List inputs and hashes: 100..160 with both ends, 100.., ..160 or 100")
        ->type_name("RANGE")
        ->excludes(layout);
}

void add_repair_options(CLI::App& app, RepairCommandOptions& options) {
    app.add_option("recording", options.recording, "The recording; is not changed")->required();
    app.add_option("-o,--output", options.output,
                   "Where to write its first ticks, up to the first one lost")
        ->type_name("FILE")
        ->required();
    app.add_flag("--force", options.force, "Replace outputs that exist");
    app.add_flag("--all-ranges", options.all_ranges,
                 "Write later ranges too, beside it: saved.4096.isotick");
}

}  // namespace isotick::program
