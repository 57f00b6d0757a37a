// `isotick export` and `isotick import`.

#include "../output/text.hpp"

#include "../command/command.hpp"
#include "../json/report_json.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/harness/detail/recording_text.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

// The simulation that export and import ask about inputs, in this process.

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

core::Result<const isotick_simulation_table*> text_simulation(
    const std::string& option, const std::string& name, harness::SimulationCatalog& catalog,
    const harness::WorkerOptions& worker) {
    if (option.empty()) {
        return catalog.find_built_in(name);
    }
    const auto chosen = harness::SimulationName::chosen(option);
    ISOTICK_TRY(harness::facts_from_worker(chosen, worker));
    return catalog.open(chosen);
}

int run_asking(const std::string& option, const std::function<int()>& command, Console& console) {
    return harness::SimulationCatalog::is_library_path(option) ? run_guarded(command, console)
                                                               : command();
}

namespace {

struct ExportOptions : CommonOptions {
    std::string recording;
    std::string output = "-";
    bool raw = false;
    bool force = false;
};

using core::ErrorCode;
using core::Result;

// Null: inputs are shown in hexadecimal.
Result<const isotick_simulation_table*> describer(const ExportOptions& options,
                                                  const replay::RecordingHead& head,
                                                  harness::SimulationCatalog& catalog,
                                                  Console& console) {
    if (options.raw) {
        return nullptr;
    }
    ISOTICK_TRY_ASSIGN(const auto prepared, prepare(options, "export", console));
    const std::string& name = head.session.simulation;
    const auto found = text_simulation(options.simulation, name, catalog, prepared.worker);
    if (found && *found != nullptr && (*found)->info->name != name) {
        return core::fail(ErrorCode::usage, options.recording + " is a session of " + name +
                                                ", not of " + (*found)->info->name);
    }
    return found;
}

std::string export_text(const ExportOptions& options, const replay::RecordingHead& head,
                        const harness::ExportResult& result) {
    std::string text = heading(options.output);
    text += row("session", session_line(head.session, result.ticks));
    text +=
        row("inputs", fmt::format("{} in words, {} in hexadecimal",
                                  grouped(result.inputs_described), grouped(result.inputs_in_hex)));
    text += row("finished", result.finished ? "yes" : "no");
    return text;
}

int run_found_export(const ExportOptions& options, harness::SimulationCatalog& catalog,
                     Console& console) {
    auto read = files_read(options, core::Schedule::nominal());
    read.push_back(options.recording);
    const auto free =
        options.output == "-" ? Result<void>() : check_output(options.output, options.force, read);
    if (!free) {
        return fail_with(free.error(), console);
    }
    auto reader = replay::Reader::open(options.recording);
    if (!reader) {
        return fail_with(reader.error(), console);
    }
    const auto simulation = describer(options, reader->head(), catalog, console);
    if (!simulation) {
        return fail_with(simulation.error(), console);
    }
    auto file = OutputFile::create(options.output, options.force);
    if (!file) {
        return fail_with(file.error(), console);
    }
    const auto result = harness::export_text(
        *reader, *simulation, [&](std::string_view text) { return file->write(text); });
    if (!result) {
        return fail_with(about(options.recording, result.error()), console);
    }
    if (auto completed = file->complete(); !completed) {
        return fail_with(completed.error(), console);
    }
    if (options.output != "-") {
        console.print(options.json ? export_json(options.output, *result)
                                   : export_text(options, reader->head(), *result));
    }
    if (result->damage) {
        console.error(fmt::format("{}: at byte {}: {}; only the first {} are in the text",
                                  options.recording, result->damage->offset, result->damage->reason,
                                  counted(result->ticks, "tick")));
        return 3;
    }
    return 0;
}

int run_export(const ExportOptions& options, harness::SimulationCatalog& catalog,
               Console& console) {
    return run_asking(
        options.simulation, [&] { return run_found_export(options, catalog, console); }, console);
}

Action declare_export(OptionList& list, CommandFrame& frame) {
    auto options = common_options<ExportOptions>(list, frame);
    list.argument("recording", options->recording, "The recording");
    list.required("recording");
    list.text("-o,--output", options->output, "FILE|-", "The text to write; - is stdout");
    list.flag("--force", options->force, "Replace a text that exists");
    list.flag("--raw", options->raw, "All inputs in hexadecimal");
    list.text("--sim", options->simulation, "NAME|PATH",
              "Describes the inputs, instead of the built-in that the recording names");
    return [options, &frame] { return run_export(*options, frame.catalog, frame.console); };
}

}  // namespace

extern const Command kExportCommand;
const Command kExportCommand{"export", "Write a recording as text, one JSON object per tick",
                             "Example:\n"
                             "  isotick export s.isotick -o s.jsonl\n"
                             "  isotick export s.isotick | jq -c 'select(.t == 17)'",
                             declare_export};

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
