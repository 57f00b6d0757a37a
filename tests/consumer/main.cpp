// A simulation of its own, driven through the installed library: twice the same ticks must give
// twice the same hash.
#include <isotick/core/adapter.hpp>
#include <isotick/core/simulation.hpp>

#include <cstdint>
#include <iostream>

namespace core = isotick::core;

// A ball that falls and bounces.
struct Bounce {
    static constexpr core::SimulationInfo kInfo{.name = "bounce"};

    void step(const core::Step& step) {
        velocity -= 9.81 * step.dt_seconds;
        height += velocity * step.dt_seconds;
        if (height < 0.0) {
            height = -height;
            velocity = -velocity;
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(height), CEREAL_NVP(velocity));
    }

    double height = 2.0;
    double velocity = 0.0;
};

static core::Result<core::StateHash> hash_after(std::uint64_t ticks) {
    auto simulation = core::Simulation::create(core::simulation_table<Bounce>(), {});
    if (!simulation) {
        return tl::unexpected(simulation.error());
    }
    const isotick_input world{ISOTICK_WORLD, 0, 0, nullptr};
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        if (auto stepped = simulation->step(core::Tick{tick}, {&world, 1}); !stepped) {
            return tl::unexpected(stepped.error());
        }
    }
    return simulation->hash();
}

int main() {
    const auto once = hash_after(600);
    const auto again = hash_after(600);
    const auto before = hash_after(0);
    if (!once || !again || !before) {
        std::cerr << "the simulation failed\n";
        return 1;
    }
    std::cout << "bounce after 600 ticks: " << core::to_string(*once) << '\n';
    return *once == *again && *once != *before ? 0 : 1;
}
