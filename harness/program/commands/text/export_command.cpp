#include "../../command/command.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../output/output_file.hpp"
#include "../../output/text.hpp"
#include "text_simulation.hpp"

#include <isotick/core/detail/seam/described_input.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/recording_text.hpp>

#include <fmt/format.h>

namespace isotick::program {
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

}  // namespace isotick::program
