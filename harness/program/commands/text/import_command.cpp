#include "../../command/command.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../output/output_file.hpp"
#include "../../output/report_words.hpp"
#include "../../output/text.hpp"
#include "text_simulation.hpp"

#include <isotick/harness/detail/recording_text.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

struct ImportCommandOptions : CommonOptions {
    std::string text;
    std::string output;
    bool force = false;
    bool rehash = false;
};

using core::ErrorCode;
using core::Result;
using harness::ImportResult;

harness::ImportHost host(const ImportCommandOptions& options, const Prepared& prepared,
                         harness::SimulationCatalog& catalog, Console& console) {
    return {[&](const std::string& name) {
                return text_simulation(options.simulation, name, catalog, prepared.worker);
            },
            [&](const harness::RecordPlan& plan, const std::string& name) {
                auto result = harness::record_in_worker(
                    options.simulation.empty()
                        ? harness::SimulationName::recorded(name)
                        : harness::SimulationName::chosen(options.simulation),
                    plan, prepared.worker);
                if (result && !result->output.empty()) {
                    console.printed("the simulation", result->output);
                }
                return result;
            }};
}

tl::unexpected<core::Error> cannot_open(const std::string& path, std::string why) {
    return tl::unexpected<core::Error>({ErrorCode::io, std::move(why), path, {}, {}});
}

Result<ImportResult> import_from(const ImportCommandOptions& options, const Prepared& prepared,
                                 harness::SimulationCatalog& catalog, Console& console) {
    std::ifstream file;
    const bool from_stdin = options.text == "-";
    if (!from_stdin) {
        std::error_code error;
        if (std::filesystem::is_directory(options.text, error)) {
            return cannot_open(options.text, "is a directory");
        }
        file.open(options.text, std::ios::binary);
        if (!file) {
            return cannot_open(options.text,
                               std::string("cannot be opened: ") + std::strerror(errno));
        }
    }
    const harness::ImportOptions how{.source = from_stdin ? "stdin" : options.text,
                                     .overwrite = options.force,
                                     .rehash = options.rehash,
                                     .environment = prepared.environment};
    return harness::import_text(from_stdin ? std::cin : file, options.output, how,
                                host(options, prepared, catalog, console));
}

std::string import_text(const ImportCommandOptions& options, const ImportResult& result) {
    std::string text = heading(options.output);
    text += row("session", session_line(result.session, result.ticks));
    text += row("digest", to_string(result.session_digest));
    text += row("hashes", result.computed ? "computed by running the session" : "from the text");
    text += row("last hash", to_string(result.last_hash));
    text += row("finished", result.finished ? "yes" : "no");
    return text;
}

int run_found_import(const ImportCommandOptions& options, harness::SimulationCatalog& catalog,
                     Console& console) {
    const auto prepared = prepare(options, "import", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    auto read = files_read(options, prepared->schedule);
    read.push_back(options.text == "-" ? "/dev/stdin" : options.text);
    if (auto free = check_output(options.output, options.force, read); !free) {
        return fail_with(free.error(), console);
    }
    const auto result = import_from(options, *prepared, catalog, console);
    if (!result) {
        return fail_with(result.error(), console);
    }
    console.print(options.json ? import_json(options.output, *result)
                               : import_text(options, *result));
    return 0;
}

int run_import(const ImportCommandOptions& options, harness::SimulationCatalog& catalog,
               Console& console) {
    return run_asking(
        options.simulation, [&] { return run_found_import(options, catalog, console); }, console);
}

Action declare_import(OptionList& list, CommandFrame& frame) {
    auto options = common_options<ImportCommandOptions>(list, frame);
    list.argument("text", options->text, "The text; - is stdin");
    list.required("text");
    add_output(list, options->output, options->force);
    list.flag("--rehash", options->rehash,
              "Run the session and compute all hashes, whatever the text says");
    add_simulation(list, *options, "Instead of the built-in that the text names");
    add_worker(list, options->worker, false);
    return [options, &frame] { return run_import(*options, frame.catalog, frame.console); };
}

}  // namespace

extern const Command kImportCommand;
const Command kImportCommand{
    "import", "Make a recording from text, written by export or by hand",
    "Example:\n"
    "  isotick import s.jsonl -o s.isotick\n"
    "  isotick export s.isotick | sed s/move/attack/ | isotick import - --rehash -o t.isotick",
    declare_import};

}  // namespace isotick::program
