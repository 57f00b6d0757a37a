#include "options.hpp"
#include "output_file.hpp"
#include "record_plan.hpp"
#include "report_json.hpp"
#include "report_words.hpp"
#include "text.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <filesystem>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::RecordPlan;
using harness::RecordResult;
using harness::SimulationFacts;

std::string report_text(const RecordPlan& plan, const SimulationFacts& facts,
                        const RecordResult& result) {
    const replay::SessionInfo session{facts.name, plan.setup.rate, plan.setup.players,
                                      plan.setup.seed, plan.setup.config};
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(plan.path, error);
    std::string text = heading(plan.path);
    text += row("session", session_line(session, result.ticks));
    text += row("digest", to_string(result.session_digest));
    text += row("driven by", fmt::format("{} in {}", plan.drive.schedule.to_string(),
                                         counted(result.frames, "frame")));
    text += row("loop", plan.drive.loop == core::LoopOptions() ? "" : to_string(plan.drive.loop));
    text += row("inputs", fmt::format("{} from {}", counted(result.inputs_present, "input"),
                                      to_string(plan.inputs)));
    text += row("last hash", to_string(result.last_hash));
    if (!error) {
        text +=
            row("size", fmt::format("{}, {:.2f} per tick", counted(size, "byte"),
                                    static_cast<double>(size) / static_cast<double>(result.ticks)));
    }
    return text;
}

// What is left of a recording that could not be finished.
std::string remains(const RecordPlan& plan, const RecordResult& result) {
    std::error_code error;
    if (!result.kept) {
        return std::filesystem::exists(plan.path, error)
                   ? "nothing was written; " + plan.path + " is as it was before"
                   : "no recording was written";
    }
    const auto survey = replay::survey(plan.path);
    const std::string held =
        survey ? "with the first " + counted(survey->ticks, "tick") : "damaged";
    return plan.path + " is left unfinished, " + held;
}

}  // namespace

int run_record_command(const RecordOptions& options, Console& console) {
    const auto prepared = prepare(options, "record", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto read = files_read(options, prepared->schedule);
    if (auto free = check_output(options.output, options.force, read); !free) {
        return fail_with(free.error(), console);
    }
    const auto simulation = harness::SimulationName::chosen(options.simulation);
    const auto facts = facts_from_worker(simulation, prepared->worker);
    if (!facts) {
        return fail_with(facts.error(), console);
    }
    const auto plan = plan_record(options, *prepared, *facts);
    if (!plan) {
        return fail_with(plan.error(), console);
    }
    const auto result = record_in_worker(simulation, *plan, prepared->worker);
    if (!result) {
        return fail_with(result.error(), console);
    }
    if (!result->output.empty()) {
        console.printed("the simulation", result->output);
    }
    if (result->error) {
        const int code = fail_with(*result->error, console);
        if (code != 2) {
            console.remark(remains(*plan, *result));
        }
        return code;
    }
    console.print(options.json ? record_json(options.output, *result)
                               : report_text(*plan, *facts, *result));
    return 0;
}

}  // namespace isotick::program
