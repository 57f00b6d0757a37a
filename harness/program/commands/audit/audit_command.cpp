#include "../../../src/platform/mapped_file.hpp"
#include "../../command/command.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../options/recorded_side.hpp"
#include "../../output/text.hpp"
#include "../record/record_plan.hpp"
#include "audit_report.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/replay/reader.hpp>

#include <fmt/format.h>

namespace isotick::program {
namespace {

/// Of a recording, or of a session of its own, which is then recorded as these options say.
struct AuditCommandOptions : RecordOptions {
    std::string recording;
};

using core::ErrorCode;
using core::Result;
using harness::AuditReport;
using harness::Verdict;

Result<void> record_for_audit(const RecordOptions& options, const Prepared& prepared,
                              Console& console) {
    const auto simulation = harness::SimulationName::chosen(options.simulation);
    ISOTICK_TRY_ASSIGN(const auto facts, facts_from_worker(simulation, prepared.worker));
    ISOTICK_TRY_ASSIGN(auto plan, plan_record(options, prepared, facts));
    plan.appearance = replay::Appearance::filled_in;
    ISOTICK_TRY_ASSIGN(const auto result, record_in_worker(simulation, plan, prepared.worker));
    if (!result.error) {
        return {};  // what it printed it will print again
    }
    if (!result.output.empty()) {
        console.printed("the simulation", result.output);
    }
    return tl::unexpected(*result.error);
}

Result<AuditReport> audit_recording(const std::string& recording,
                                    const harness::SimulationName& simulation,
                                    const Prepared& prepared) {
    harness::AuditOptions options;
    options.environment = prepared.environment;
    return audit(recording, options,
                 harness::probes_in_worker_processes(simulation, prepared.worker));
}

Result<AuditReport> audit_file(const AuditCommandOptions& options, const Prepared& prepared) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(options.recording));
    const auto simulation = simulation_of(reader.head(), options.simulation);
    return audit_recording(options.recording, simulation, prepared)
        .map_error([&](const core::Error& error) { return about(options.recording, error); });
}

Result<AuditReport> audit_own_session(const AuditCommandOptions& options, const Prepared& prepared,
                                      Console& console) {
    if (options.simulation.empty()) {
        return core::fail(
            ErrorCode::usage,
            "name a recording, or a simulation with --sim (see isotick audit --help)");
    }
    ISOTICK_TRY_ASSIGN(const auto file, harness::SharedFile::make());
    RecordOptions record = options;
    record.output = file.path();
    ISOTICK_TRY(record_for_audit(record, prepared, console));
    const auto simulation = harness::SimulationName::chosen(options.simulation);
    return audit_recording(record.output, simulation, prepared).map([](AuditReport report) {
        report.recording.clear();
        return report;
    });
}

int run_audit(const AuditCommandOptions& options, Console& console) {
    const auto prepared = prepare(options, "audit", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto report = options.recording.empty() ? audit_own_session(options, *prepared, console)
                                                  : audit_file(options, *prepared);
    if (!report) {
        return fail_with(report.error(), console);
    }
    if (!report->output.empty()) {
        console.printed("the simulation", report->output);
    }
    if (options.json) {
        console.print(audit_json(*report));
    } else {
        const std::string summary = audit_summary(*report);
        console.print(audit_text(*report));
        console.print(console.headline(audit_verdict(*report), report->verdict) +
                      (summary.empty() ? "" : "  " + summary) + "\n");
    }
    return exit_code(report->verdict);
}

Action declare_audit(OptionList& list, CommandFrame& frame) {
    auto options = common_options<AuditCommandOptions>(list, frame);
    options->ticks = 600;
    options->inputs.clear();
    options->simulation = frame.only_simulation();
    list.argument("recording", options->recording,
                  "The recording whose session is run; by default one is recorded first");
    add_simulation(list, *options, "A built-in, a plug-in's path, or exec: and a command");
    add_session(list, *options);
    list.text("--inputs", options->inputs, "SOURCE",
              "Where inputs come from: bot, random or none; without a bot, random");
    add_worker(list, options->worker, true);
    for (const char* of_session :
         {"--ticks", "--seed", "--config", "--players", "--rate", "--inputs"}) {
        list.excludes(of_session, {"recording"});
    }
    return [options, &frame] { return run_audit(*options, frame.console); };
}

}  // namespace

extern const Command kAuditCommand;
const Command kAuditCommand{"audit", "Measure what hash and snapshot see, and what they miss",
                            "Example:\n"
                            "  isotick audit --sim skirmish",
                            declare_audit};

}  // namespace isotick::program
