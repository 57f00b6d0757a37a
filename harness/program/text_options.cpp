#include "option_style.hpp"
#include "text_commands.hpp"

#include <CLI/CLI.hpp>

namespace isotick::program {

void add_export_options(CLI::App& app, ExportOptions& options) {
    app.add_option("recording", options.recording, "The recording")->required();
    shown_as("FILE|-",
             app.add_option("-o,--output", options.output, "The text to write; - is stdout"));
    app.add_flag("--force", options.force, "Replace a text that exists");
    app.add_flag("--raw", options.raw, "All inputs in hexadecimal");
}

void add_import_options(CLI::App& app, ImportCommandOptions& options) {
    app.add_option("text", options.text, "The text; - is stdin")->required();
    app.add_option("-o,--output", options.output, "The recording to write")
        ->type_name("FILE")
        ->required();
    app.add_flag("--force", options.force, "Replace a recording that exists");
    app.add_flag("--rehash", options.rehash,
                 "Run the session and compute all hashes, whatever the text says");
}

}  // namespace isotick::program
