// The bits of the reference simulations, pinned: they must be the same for every compiler,
// optimization and processor. A change here breaks every recording of them.

#include "frames.hpp"

#include <ostream>

#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

struct Golden {
    const char* test;
    const char* simulation;
    const char* config;
    std::uint32_t players;
    std::uint64_t ticks;
    const char* hash;
};

void PrintTo(const Golden& golden, std::ostream* out) {
    *out << golden.simulation << " " << golden.config << " after " << golden.ticks << " ticks";
}

class GoldenHash : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenHash, IsTheSameAsEver) {
    const Golden& golden = GetParam();
    const SimulationSetup setup = setup_of(golden.players, golden.config);
    const auto session = bot_inputs(golden.simulation, setup, golden.ticks);
    Simulation simulation = create(golden.simulation, setup);
    for (std::uint64_t tick = 0; tick < golden.ticks; ++tick) {
        step(simulation, tick, session[tick]);
    }
    EXPECT_EQ(to_string(simulation.hash().value()), golden.hash);
}

INSTANTIATE_TEST_SUITE_P(
    ReferenceSimulations, GoldenHash,
    ::testing::Values(
        Golden{"euler", "spring", "integrator=euler", 1, 600, "7dfeb7ca069d0fba"},
        Golden{"semi_implicit", "spring", "integrator=semi-implicit-euler", 1, 600,
               "9e0f14902b2c28ac"},
        Golden{"verlet", "spring", "integrator=velocity-verlet", 1, 600, "e54dc64426a67e7c"},
        Golden{"rk2", "spring", "integrator=rk2", 1, 600, "66c83f42cced6996"},
        Golden{"rk4", "spring", "integrator=rk4", 1, 600, "4ef1310792ab4986"},
        Golden{"pile_start", "pile", "bodies=60", 2, 0, "0bef0e890dd5bd91"},
        Golden{"pile_2_players", "pile", "bodies=60", 2, 1800, "98afd243238a0dc1"},
        Golden{"pile_8_players", "pile", "bodies=500", 8, 300, "ab8e4495a7d1f410"},
        Golden{"skirmish_start", "skirmish", "units=1000", 2, 0, "3933b9e05b89d1a8"},
        Golden{"skirmish_2_players", "skirmish", "units=1000", 2, 1800, "586be97a5f33731f"},
        Golden{"skirmish_64_players", "skirmish", "units=500", 64, 600, "a696e0ebec9ec98c"}),
    [](const auto& test) { return std::string(test.param.test); });

}  // namespace
}  // namespace isotick::core::core_tests
