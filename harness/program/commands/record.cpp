#include "record.hpp"

#include "../command/command.hpp"
#include "../json/report_json.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::RecordPlan;
using harness::SimulationFacts;

Result<core::SimulationSetup> setup(const RecordOptions& options, const SimulationFacts& facts) {
    core::SimulationSetup setup;
    setup.rate = facts.rate;
    if (!options.rate.empty()) {
        ISOTICK_TRY_ASSIGN(setup.rate, rate_option(options.rate));
    }
    setup.players = options.players.value_or(facts.usual_players);
    ISOTICK_TRY_ASSIGN(setup.seed, seed_option(options.seed));
    ISOTICK_TRY_ASSIGN(setup.config, settings_option("--config", options.config));
    return setup;
}

// What the recording says beside the session: the user's notes, and how it was driven if not
// nominally.
Result<core::Settings> plan_notes(const RecordOptions& options, const SimulationFacts& facts,
                                  const Prepared& prepared) {
    ISOTICK_TRY_ASSIGN(auto notes, settings_option("--note", options.notes));
    if (!facts.build_id.empty()) {
        ISOTICK_TRY(notes.set(harness::kBuildNote, facts.build_id));
    }
    if (prepared.schedule != core::Schedule::nominal()) {
        ISOTICK_TRY(notes.set(kScheduleNote, prepared.schedule.to_string()));
    }
    if (prepared.loop != core::LoopOptions()) {
        ISOTICK_TRY(notes.set(kLoopNote, to_string(prepared.loop)));
    }
    return notes;
}

Result<harness::InputSource> usual_inputs(const SimulationFacts& facts) {
    return facts.has_bot ? harness::InputSource::bot : harness::InputSource::random;
}

}  // namespace

Result<RecordPlan> plan_record(const RecordOptions& options, const Prepared& prepared,
                               const SimulationFacts& facts) {
    const auto inputs =
        options.inputs.empty() ? usual_inputs(facts) : harness::parse_input_source(options.inputs);
    if (!inputs) {
        return core::fail(ErrorCode::usage, "--inputs: " + inputs.error().message);
    }
    ISOTICK_TRY_ASSIGN(auto made, setup(options, facts));
    made.environment = prepared.environment;
    ISOTICK_TRY_ASSIGN(auto noted, plan_notes(options, facts, prepared));
    // With no file to replace, a recording that fails is kept as far as without --force.
    std::error_code error;
    const bool replaces = options.force && std::filesystem::exists(options.output, error);
    return RecordPlan{.path = options.output,
                      .overwrite = replaces,
                      .setup = std::move(made),
                      .ticks = options.ticks,
                      .drive = {prepared.loop, prepared.schedule, {}},
                      .inputs = *inputs,
                      .recorded_inputs = {},
                      .sample_every_tick = options.sample == "tick",
                      .edits = {},
                      .hash_every = options.hash_every,
                      .parts_every = options.parts_every,
                      .notes = std::move(noted)};
}

void add_session(OptionList& list, RecordOptions& options) {
    constexpr std::uint64_t kMostTicks = 1'000'000'000'000;
    list.number("--ticks", options.ticks, "How many ticks the session lasts", 1, kMostTicks);
    list.text("--seed", options.seed, "SEED", "The session's seed, decimal or 0x…");
    add_settings(list, "--config", options.config,
                 "Part of the session; see isotick sims NAME; repeatable");
    list.number("--players", options.players, "NUMBER",
                "How many players; default: the simulation's usual number");
    list.text("--rate", options.rate, "RATE",
              "Ticks per second: 60hz, 60000/1001hz; the simulation's own by default");
}

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

std::string unfinished_text(const std::string& path) {
    const auto survey = replay::survey(path);
    const std::string held = survey ? "with the first " + counted(survey->ticks, "tick")
                                    : "but cannot be read: " + survey.error().message;
    return path + " is left unfinished, " + held;
}

// What is left of a recording that could not be finished. `before` were those left beside it.
std::string remains(const RecordPlan& plan, const RecordResult& result,
                    const std::vector<std::string>& before) {
    if (result.kept) {
        return unfinished_text(plan.path);
    }
    std::error_code error;
    if (!std::filesystem::exists(plan.path, error)) {
        return "no recording was written";
    }
    for (const std::string& beside : replay::unfinished_beside(plan.path)) {
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
