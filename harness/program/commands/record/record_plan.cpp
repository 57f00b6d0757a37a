#include "record_plan.hpp"

#include "../../options/option_groups.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <utility>

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
    return RecordPlan{.path = options.output,
                      .overwrite = options.force,
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

}  // namespace isotick::program
