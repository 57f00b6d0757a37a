#pragma once
// A pile whose bodies and contacts tests may look at and arrange.

#include "frames.hpp"
#include "piles/pile.hpp"

#include <cmath>
#include <string>

namespace isotick::core::core_tests {

namespace pile = reference::pile;

class PileProbe : public reference::Pile {
  public:
    using Pile::bodies;
    using Pile::contacts;
    using Pile::islands;
    using Pile::Pile;
    using Pile::world;

    void step_with(std::uint64_t tick, const TickInputs& inputs) {
        std::vector<isotick_input> entries;
        for (std::uint32_t i = 0; i < inputs.size(); ++i) {
            const auto& bytes = inputs[i];
            entries.push_back(
                {i, bytes ? 1U : 0U, bytes ? bytes->size() : 0, bytes ? bytes->data() : nullptr});
        }
        step({Tick{tick}, 1.0 / 60.0, 1, 60, Inputs(entries)});
    }

    /// Steps `ticks` ticks in which nobody does anything.
    void rest(std::uint64_t ticks, std::uint32_t players = 0) {
        for (std::uint64_t tick = 0; tick < ticks; ++tick) {
            step_with(tick, TickInputs(players + 1));
        }
    }

    /// Body `index`, not counting the walls.
    [[nodiscard]] pile::Body& body(std::size_t index) { return bodies()[pile::kWalls + index]; }
    [[nodiscard]] bool sleeps(std::size_t index) { return pile::is_asleep(body(index), islands()); }

    /// Energy of all motion, in joules.
    [[nodiscard]] float kinetic_energy() {
        float energy = 0.0F;
        for (std::size_t i = pile::kWalls; i < bodies().size(); ++i) {
            const pile::Body& body = bodies()[i];
            energy += 0.5F * dot(body.velocity, body.velocity) / body.inverse_mass;
            energy += 0.5F * body.spin * body.spin / body.inverse_inertia;
        }
        return energy;
    }
};

inline SimulationSetup pile_setup(std::uint32_t bodies, std::uint32_t players = 0) {
    return setup_of(players, "bodies=" + std::to_string(bodies));
}

/// Makes body `index` an upright box of `side` metres at rest at (x, y).
inline void place_box(PileProbe& probe, std::size_t index, float side, float x, float y) {
    const std::uint32_t island = probe.body(index).island;
    probe.body(index) = pile::make_body(pile::Shape::box, {side * 0.5F, side * 0.5F}, {x, y});
    probe.body(index).island = island;
}

/// A tower of `count` boxes of 0.8 m, each a little above the one below and a little beside it.
inline PileProbe make_tower(std::uint32_t count, std::uint32_t players = 0) {
    PileProbe probe(pile_setup(count, players));
    for (std::uint32_t i = 0; i < count; ++i) {
        const float beside = i % 2 == 0 ? 0.0F : 0.03F;
        place_box(probe, i, 0.8F, 3.0F + beside, 0.41F + 0.81F * static_cast<float>(i));
    }
    return probe;
}

}  // namespace isotick::core::core_tests
