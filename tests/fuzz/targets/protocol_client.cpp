// Answers of a hostile process: calls of its simulation succeed or fail, and that is all.

#include "../support/fake_process.hpp"
#include "../support/messages.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/process_simulation.hpp>

#include <algorithm>
#include <vector>

#include <simulations/wire.hpp>

namespace isotick::fuzz {
namespace {

using core::Simulation;
using harness::Message;
using harness::Status;
using harness::Verb;

constexpr unsigned kAsItIs = 0x80;
constexpr unsigned kWithoutBeginning = 0x40;

// Of a simulation of two players, which can do everything and has two parts.
void put_beginning(core::Bytes& out) {
    {
        const Message hello(out, Status::ok);
        for (const std::uint32_t number : {1U, 60U, 1U, 0U, 2U, 2U}) {
            core::put(out, number);
        }
        core::put(out, std::uint64_t{0x1ffe});  // all verbs
        core::put(out, harness::kTakesChangingDt);
        for (const char* text : {"hostile", "", "user:sum", "", "", ""}) {
            core::put_string(out, text);
        }
    }
    const Message created(out, Status::ok);
    core::put(out, std::uint32_t{2});
    core::put_string(out, "ball");
    core::put_string(out, "world");
}

// Goes through the calls of two frames, as a trial makes them.
core::Result<void> run_frames(Simulation& simulation, std::uint32_t players) {
    std::vector<isotick_input> inputs;
    for (std::uint32_t player = 0; player < players; ++player) {
        inputs.push_back({player, 0, 0, nullptr});
    }
    inputs.push_back({ISOTICK_WORLD, 0, 0, nullptr});
    core::Result<void> done;
    for (std::uint64_t tick = 0; tick < 2 && done; ++tick) {
        done = simulation.takes_frames() ? simulation.begin_frame({16}) : done;
        done = done ? simulation.step({tick}, inputs) : done;
        done = done && simulation.renders() ? simulation.render(0.5) : done;
        done = done ? simulation.hash().map([](core::StateHash) {}) : done;
    }
    return done;
}

core::Result<void> ask_for_more(Simulation& simulation) {
    std::vector<std::uint8_t> buffer;
    core::Result<void> done;
    if (simulation.has_bot()) {
        done = simulation.propose_input(0, {2}, 7, buffer).map([](const isotick_input& input) {
            require(input.size <= ISOTICK_LONGEST_INPUT, "no input is too long");
        });
    }
    if (done && simulation.can_save()) {
        done = simulation.save().and_then(
            [&](const std::vector<std::byte>& snapshot) { return simulation.load(snapshot); });
    }
    if (done && simulation.has_fields()) {
        done = simulation.fields().map([](const auto&) {});
    }
    return done;
}

void ask_about_inputs(const isotick_simulation_table& table) {
    if (core::describes_inputs(table)) {
        const std::uint8_t bytes[] = {1, 2, 3};
        (void)core::faithful_description(table, 0, bytes);
        (void)core::compose_input(table, 0, "[1]");
    }
}

}  // namespace

void run(Input input) {
    const unsigned mode = take_byte(input);
    core::Bytes answers;
    if ((mode & kAsItIs) != 0) {
        answers.assign(input.begin(), input.end());
    } else {
        if ((mode & kWithoutBeginning) == 0) {
            put_beginning(answers);
        }
        put_messages(answers, input);
    }
    set_answers(answers);
    const auto asked = harness::ProcessSimulation::ask("hostile");
    if (!asked) {
        require(asked.error().code == core::ErrorCode::usage, "a bad process is bad usage");
        return;
    }
    const isotick_simulation_table& table = asked->table();
    core::SimulationSetup setup;
    setup.players = std::min(table.info->most_players, 2U);
    auto simulation = Simulation::create(table, setup);
    if (simulation && run_frames(*simulation, setup.players)) {
        (void)ask_for_more(*simulation);
    }
    ask_about_inputs(table);
}

}  // namespace isotick::fuzz
