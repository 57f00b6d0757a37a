#include "frames.hpp"

#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using OptionalBytes = std::optional<Bytes>;

// The state hash after these inputs of the one player, one a tick.
StateHash hash_after(const std::vector<OptionalBytes>& inputs) {
    Simulation simulation = create("spring", setup_of(1));
    for (std::uint64_t tick = 0; tick < inputs.size(); ++tick) {
        step(simulation, tick, {inputs[tick], std::nullopt});
    }
    return simulation.hash().value();
}

TEST(Spring, HasTheseParts) {
    Simulation simulation = create("spring", setup_of(0));
    simulation.hash().value();
    EXPECT_EQ(simulation.part_names(), (std::vector<std::string>{"body", "push"}));
}

TEST(Spring, SwingsWithoutPlayers) {
    Simulation simulation = create("spring", setup_of(0));
    const StateHash before = simulation.hash().value();
    step(simulation, 0, {std::nullopt});
    EXPECT_NE(simulation.hash().value(), before);
}

TEST(Spring, FramesDoNotMatter) {
    const SimulationSetup setup = setup_of(1);
    const auto session = bot_inputs("spring", setup, 600);
    EXPECT_EQ(drive("spring", setup, session, nominal_frames(600)),
              drive("spring", setup, session, wild_frames(600, 1)));
}

TEST(Spring, APushMatters) {
    EXPECT_NE(hash_after({Bytes{10}}), hash_after({Bytes{0xf6}}));
}

TEST(Spring, APushIsKeptWhileInputsAreAbsent) {
    EXPECT_EQ(hash_after({Bytes{10}, std::nullopt}), hash_after({Bytes{10}, Bytes{10}}));
}

TEST(Spring, AnEmptyInputLetsGo) {
    EXPECT_EQ(hash_after({Bytes{10}, Bytes{}}), hash_after({Bytes{10}, Bytes{0}}));
    EXPECT_NE(hash_after({Bytes{10}, Bytes{}}), hash_after({Bytes{10}, std::nullopt}));
}

TEST(Spring, InputsOfAnotherLengthAreIgnored) {
    EXPECT_EQ(hash_after({Bytes{1, 2}}), hash_after({std::nullopt}));
}

TEST(Spring, PositionComesFromConfigElseFromTheSeed) {
    SimulationSetup other_seed = setup_of(0);
    other_seed.seed = 99;
    EXPECT_NE(create("spring", setup_of(0)).hash().value(),
              create("spring", other_seed).hash().value());
    require(other_seed.config.set_text("position=7"));
    EXPECT_EQ(create("spring", setup_of(0, "position=7")).hash().value(),
              create("spring", other_seed).hash().value());
}

TEST(Spring, HasABotThatSometimesPushesAndSometimesLetsGo) {
    std::size_t pushes = 0;
    std::size_t releases = 0;
    for (const TickInputs& inputs : bot_inputs("spring", setup_of(1), 2000)) {
        pushes += inputs[0] && !inputs[0]->empty() ? 1U : 0U;
        releases += inputs[0] && inputs[0]->empty() ? 1U : 0U;
        EXPECT_FALSE(inputs[1]);
    }
    EXPECT_GT(pushes, 10U);
    EXPECT_GT(releases, 2U);
}

}  // namespace
}  // namespace isotick::core::core_tests
