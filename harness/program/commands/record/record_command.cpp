#include "../../command/command.hpp"
#include "../../json/report_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../output/output_file.hpp"
#include "../../output/report_words.hpp"
#include "../../output/text.hpp"
#include "record_plan.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulations/simulation_facts.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::RecordPlan;
using harness::RecordResult;
using harness::SimulationFacts;

std::string record_text(const RecordPlan& plan, const SimulationFacts& facts,
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

std::string unfinished_text(const std::filesystem::path& path) {
    const auto survey = replay::survey(path);
    const std::string held = survey ? "with the first " + counted(survey->ticks, "tick")
                                    : "but cannot be read: " + survey.error().message;
    return path.string() + " is left unfinished, " + held;
}

// What is left of a recording that could not be finished. `before` were those left beside it.
std::string remains(const RecordPlan& plan, const RecordResult& result,
                    const std::vector<std::filesystem::path>& before) {
    if (result.kept) {
        return unfinished_text(plan.path);
    }
    std::error_code error;
    if (!std::filesystem::exists(plan.path, error)) {
        return "no recording was written";
    }
    for (const std::filesystem::path& beside : replay::unfinished_beside(plan.path)) {
        if (std::find(before.begin(), before.end(), beside) == before.end()) {
            return plan.path + " is as it was before; " + unfinished_text(beside);
        }
    }
    return "nothing was written; " + plan.path + " is as it was before";
}

int run_record(const RecordOptions& options, Console& console) {
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
    remark_unfinished(options.output, console);
    const auto before = replay::unfinished_beside(plan->path);
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
            console.remark(remains(*plan, *result, before));
        }
        return code;
    }
    console.print(options.json ? record_json(options.output, *result)
                               : record_text(*plan, *facts, *result));
    return 0;
}

Action declare_record(OptionList& list, CommandFrame& frame) {
    constexpr std::uint64_t kMostStride = 1'000'000'000;
    auto options = common_options<RecordOptions>(list, frame);
    options->simulation = frame.only_simulation();
    add_simulation(list, *options, "A built-in, a plug-in's path, or exec: and a command");
    list.required("--sim", options->simulation.empty());
    add_output(list, options->output, options->force);
    add_session(list, *options);
    list.text("--inputs", options->inputs, "SOURCE",
              "Where inputs come from: bot, random (from the seed) or none");
    list.choice("--sample", options->sample, {"frame", "tick"},
                "Sample inputs once per frame, or for each tick");
    list.number("--hash-every", options->hash_every, "Store a hash every N ticks", 1, kMostStride);
    list.number("--parts-every", options->parts_every, "Store part hashes every N ticks", 1,
                kMostStride);
    add_settings(list, "--note", options->notes, "A note for the recording's head; repeatable");
    add_host(list, *options,
             "Frame times of the live session, or a file of them; nominal by default");
    add_worker(list, options->worker, false);
    return [options, &frame] { return run_record(*options, frame.console); };
}

}  // namespace

extern const Command kRecordCommand;
const Command kRecordCommand{"record", "Record a session: inputs and hashes",
                             "Example:\n"
                             "  isotick record --sim skirmish --ticks 3600 -o s.isotick",
                             declare_record};

}  // namespace isotick::program
