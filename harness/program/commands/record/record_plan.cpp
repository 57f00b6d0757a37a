#include "record_plan.hpp"

#include "../../command/option_groups.hpp"

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
        const auto rate = rate_option(options.rate);
        if (!rate) {
            return tl::unexpected(rate.error());
        }
        setup.rate = *rate;
    }
    setup.players = options.players.value_or(facts.usual_players);
    const auto seed = seed_option(options.seed);
    if (!seed) {
        return tl::unexpected(seed.error());
    }
    setup.seed = *seed;
    auto config = settings_option("--config", options.config);
    if (!config) {
        return tl::unexpected(config.error());
    }
    setup.config = std::move(*config);
    return setup;
}

// What the recording says beside the session: the user's notes, and how it was driven if not
// nominally.
Result<core::Settings> notes(const RecordOptions& options, const SimulationFacts& facts,
                             const Prepared& prepared) {
    auto notes = settings_option("--note", options.notes);
    if (!notes) {
        return notes;
    }
    if (!facts.build_id.empty()) {
        if (auto set = notes->set(harness::kBuildNote, facts.build_id); !set) {
            return tl::unexpected(set.error());
        }
    }
    if (prepared.schedule != core::Schedule::nominal()) {
        if (auto set = notes->set(kScheduleNote, prepared.schedule.to_string()); !set) {
            return tl::unexpected(set.error());
        }
    }
    if (prepared.loop != core::LoopOptions()) {
        if (auto set = notes->set(kLoopNote, to_string(prepared.loop)); !set) {
            return tl::unexpected(set.error());
        }
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
    auto made = setup(options, facts);
    if (!made) {
        return tl::unexpected(made.error());
    }
    made->environment = prepared.environment;
    auto noted = notes(options, facts, prepared);
    if (!noted) {
        return tl::unexpected(noted.error());
    }
    return RecordPlan{.path = options.output,
                      .overwrite = options.force,
                      .setup = std::move(*made),
                      .ticks = options.ticks,
                      .drive = {prepared.loop, prepared.schedule, {}},
                      .inputs = *inputs,
                      .recorded_inputs = {},
                      .sample_every_tick = options.sample == "tick",
                      .edits = {},
                      .hash_every = options.hash_every,
                      .parts_every = options.parts_every,
                      .notes = std::move(*noted)};
}

void add_session(OptionList& list, RecordOptions& options) {
    constexpr std::uint64_t kMostTicks = 1'000'000'000'000;
    list.number("--ticks", options.ticks, "How many ticks the session lasts", 1, kMostTicks);
    list.text("--seed", options.seed, "SEED", "The session's seed, decimal or 0x…");
    add_settings(list, "--config", options.config,
                 "Part of the session; see isotick sims NAME; repeatable");
    list.number("--players", options.players, "NUMBER",
                "How many players; by default as many as is usual");
    list.text("--rate", options.rate, "RATE",
              "Ticks per second: 60hz, 60000/1001hz; the simulation's own by default");
}

}  // namespace isotick::program
