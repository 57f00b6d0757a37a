#pragma once
// Drives a reference simulation through frames spelled out one by one, and compares the traces.

#include "piles/piles.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/simulation.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace isotick::core::core_tests {

/// One frame: it takes so long, holds so many ticks, and is rendered at alpha.
struct Frame {
    std::int64_t nanoseconds = 16'666'666;
    std::uint32_t ticks = 1;
    double alpha = 0.0;
};

/// The nominal frames of `ticks` ticks at 60 Hz.
inline std::vector<Frame> nominal_frames(std::uint64_t ticks) {
    std::vector<Frame> frames;
    const TickRate rate;
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        frames.push_back({rate.time_of(tick + 1) - rate.time_of(tick), 1, 0.0});
    }
    return frames;
}

/// Frames of 0 to 8 ticks, of −1 to 400 ms and at any alpha, `ticks` ticks in all.
inline std::vector<Frame> wild_frames(std::uint64_t ticks, std::uint64_t seed) {
    std::vector<Frame> frames;
    Pcg32 random(seed);
    for (std::uint64_t done = 0; done < ticks;) {
        Frame frame;
        frame.nanoseconds = random.between(-1'000'000, 400'000'000);
        frame.ticks =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(random.below(9), ticks - done));
        frame.alpha = random.unit_double();
        done += frame.ticks;
        frames.push_back(frame);
    }
    return frames;
}

using Bytes = std::vector<std::uint8_t>;

/// Every player's and then the world's input to one tick; none is absent.
using TickInputs = std::vector<std::optional<Bytes>>;

/// Ends the test where something failed that is only a means to it.
inline void require(const Result<void>& result) {
    if (!result) {
        throw std::runtime_error(describe(result.error()));
    }
}

inline SimulationSetup setup_of(std::uint32_t players, const std::string& config = "") {
    SimulationSetup setup{
        .rate = {}, .players = players, .seed = 1, .config = {}, .environment = {}};
    if (!config.empty()) {
        require(setup.config.set_text(config));
    }
    return setup;
}

inline Simulation create(const char* name, const SimulationSetup& setup) {
    return Simulation::create(*find_simulation(name), setup).value();
}

inline void step(Simulation& simulation, std::uint64_t tick, const TickInputs& inputs) {
    std::vector<isotick_input> entries;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
        const std::uint32_t player = i + 1 == inputs.size() ? ISOTICK_WORLD : i;
        const auto& bytes = inputs[i];
        entries.push_back(
            {player, bytes ? 1U : 0U, bytes ? bytes->size() : 0, bytes ? bytes->data() : nullptr});
    }
    require(simulation.step(Tick{tick}, entries));
}

/// What the bot of a simulation does in a session of its own.
inline std::vector<TickInputs> bot_inputs(const char* name, const SimulationSetup& setup,
                                          std::uint64_t ticks) {
    std::vector<TickInputs> session;
    Simulation simulation = create(name, setup);
    Pcg32 entropy(7);
    Bytes buffer;
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        TickInputs inputs;
        for (std::uint32_t i = 0; i <= setup.players; ++i) {
            const std::uint32_t player = i == setup.players ? ISOTICK_WORLD : i;
            const auto input =
                simulation.propose_input(player, Tick{tick}, entropy.next64(), buffer).value();
            inputs.push_back(input.present != 0
                                 ? std::optional(Bytes(input.data, input.data + input.size))
                                 : std::nullopt);
        }
        step(simulation, tick, inputs);
        session.push_back(std::move(inputs));
    }
    return session;
}

/// The part hashes after every tick, in order, with the parts' names.
struct Trace {
    std::vector<std::string> names;
    std::vector<std::vector<PartHash>> ticks;
    friend bool operator==(const Trace&, const Trace&) = default;
};

/// Runs all frames. `session` has as many ticks as the frames.
inline Trace drive(const char* name, const SimulationSetup& setup,
                   const std::vector<TickInputs>& session, const std::vector<Frame>& frames) {
    Trace trace;
    Simulation simulation = create(name, setup);
    std::uint64_t tick = 0;
    for (const Frame& frame : frames) {
        require(simulation.begin_frame(FrameTime{frame.nanoseconds}));
        for (std::uint32_t i = 0; i < frame.ticks; ++i, ++tick) {
            step(simulation, tick, session.at(tick));
            simulation.hash().value();
            trace.ticks.emplace_back(simulation.parts().begin(), simulation.parts().end());
        }
        require(simulation.render(frame.alpha));
    }
    trace.names = simulation.part_names();
    return trace;
}

/// The first tick at which two traces differ, and the parts that differ there.
struct Difference {
    std::uint64_t tick = 0;
    std::vector<std::string> parts;
};

inline std::optional<Difference> first_difference(const Trace& a, const Trace& b) {
    for (std::uint64_t tick = 0; tick < std::min(a.ticks.size(), b.ticks.size()); ++tick) {
        Difference difference{tick, {}};
        for (std::size_t part = 0; part < a.names.size(); ++part) {
            if (a.ticks[tick].at(part) != b.ticks[tick].at(part)) {
                difference.parts.push_back(a.names[part]);
            }
        }
        if (!difference.parts.empty()) {
            return difference;
        }
    }
    return std::nullopt;
}

}  // namespace isotick::core::core_tests
