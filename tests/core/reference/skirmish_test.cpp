#include "reference/skirmish/skirmish.hpp"

#include "frames.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

TickInputs nobody(std::uint32_t players) {
    return TickInputs(players + 1);
}

// The state hash of a two-player game after `first_input` of player 0 in tick 0 and nothing after.
StateHash skirmish_hash_after(const std::optional<Bytes>& first_input, std::uint64_t ticks = 1) {
    Simulation simulation = create("skirmish", setup_of(2, "units=40"));
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        TickInputs inputs = nobody(2);
        if (tick == 0) {
            inputs[0] = first_input;
        }
        step(simulation, tick, inputs);
    }
    return simulation.hash().value();
}

const Bytes kMoveAll{1, 0xff, 0x00, 0x80, 0x00, 0x40};
const Bytes kHoldAll{3, 0xff};

TEST(Skirmish, HasTheseParts) {
    Simulation simulation = create("skirmish", setup_of(2));
    simulation.hash().value();
    EXPECT_EQ(simulation.part_names(),
              (std::vector<std::string>{"world", "players", "orders", "units", "random"}));
}

TEST(Skirmish, TwoRunsAreEqual) {
    const SimulationSetup setup = setup_of(4);
    const auto session = bot_inputs("skirmish", setup, 300);
    EXPECT_EQ(drive("skirmish", setup, session, nominal_frames(300)),
              drive("skirmish", setup, session, nominal_frames(300)));
}

TEST(Skirmish, FramesDoNotMatter) {
    const SimulationSetup setup = setup_of(2, "units=100");
    const auto session = bot_inputs("skirmish", setup, 600);
    EXPECT_EQ(drive("skirmish", setup, session, nominal_frames(600)),
              drive("skirmish", setup, session, wild_frames(600, 1)));
}

TEST(Skirmish, SeedsGiveDifferentGames) {
    SimulationSetup other = setup_of(2);
    other.seed = 2;
    EXPECT_NE(create("skirmish", setup_of(2)).hash().value(),
              create("skirmish", other).hash().value());
}

TEST(Skirmish, HashAndUnitsChangeEveryTickEvenWhenNobodyPlays) {
    Simulation simulation = create("skirmish", setup_of(2, "units=100"));
    std::set<std::uint64_t> seen{simulation.hash().value().value};
    std::set<std::uint64_t> units;
    for (std::uint64_t tick = 0; tick < 600; ++tick) {
        step(simulation, tick, nobody(2));
        seen.insert(simulation.hash().value().value);
        units.insert(simulation.parts()[3].value);
    }
    EXPECT_EQ(seen.size(), 601U);
    EXPECT_GE(units.size(), 599U);  // in the very first tick they stand
}

TEST(Skirmish, AnOrderChangesTheHashAtOnce) {
    EXPECT_NE(skirmish_hash_after(kMoveAll), skirmish_hash_after(kHoldAll));
    EXPECT_NE(skirmish_hash_after(kMoveAll), skirmish_hash_after(Bytes{}));
}

TEST(Skirmish, AnEmptyInputIsNotAnAbsentOne) {
    EXPECT_NE(skirmish_hash_after(Bytes{}), skirmish_hash_after(std::nullopt));
}

TEST(Skirmish, TheWorldsInputIsSupply) {
    const auto hash_with = [](const std::optional<Bytes>& input) {
        Simulation simulation = create("skirmish", setup_of(2, "units=40"));
        TickInputs inputs = nobody(2);
        inputs[2] = input;
        step(simulation, 0, inputs);
        return simulation.hash().value();
    };
    EXPECT_NE(hash_with(Bytes{3}), hash_with(std::nullopt));
    EXPECT_EQ(hash_with(Bytes{}), hash_with(std::nullopt));
}

TEST(Skirmish, BytesThatAreNoOrderAreIgnored) {
    const StateHash empty = skirmish_hash_after(Bytes{});
    EXPECT_EQ(skirmish_hash_after(Bytes{4, 0xff}), empty);
    EXPECT_EQ(skirmish_hash_after(Bytes{3}), empty);
    EXPECT_EQ(skirmish_hash_after(Bytes{1, 0xff, 0x00, 0x80, 0x00}), empty);
    EXPECT_EQ(skirmish_hash_after(Bytes{0xee, 0xff, 3, 0xff}), empty);
}

TEST(Skirmish, OrdersBeforeTheBadOneAreObeyed) {
    EXPECT_EQ(skirmish_hash_after(Bytes{3, 0xff, 9, 9, 9}), skirmish_hash_after(kHoldAll));
}

TEST(Skirmish, ProposingAnInputDoesNotChangeTheState) {
    Simulation simulation = create("skirmish", setup_of(2));
    const StateHash before = simulation.hash().value();
    Bytes buffer;
    for (std::uint64_t entropy = 0; entropy < 1000; ++entropy) {
        simulation.propose_input(0, Tick{0}, entropy, buffer).value();
        simulation.propose_input(ISOTICK_WORLD, Tick{0}, entropy, buffer).value();
    }
    EXPECT_EQ(simulation.hash().value(), before);
}

TEST(Skirmish, BotPlaysNowAndThenAndAtVaryingLength) {
    const auto session = bot_inputs("skirmish", setup_of(2, "units=100"), 2000);
    std::set<std::size_t> lengths;
    std::size_t present = 0;
    for (const TickInputs& inputs : session) {
        if (inputs[0]) {
            ++present;
            lengths.insert(inputs[0]->size());
        }
    }
    EXPECT_GT(present, 20U);
    EXPECT_LT(present, 100U);
    EXPECT_GT(lengths.size(), 5U);
    EXPECT_TRUE(lengths.contains(0));
}

// Looks at the units, which only variants may.
class Probe : public reference::Skirmish {
  public:
    using Skirmish::Skirmish;
    using Skirmish::units;

    void step_with(std::uint64_t tick, const TickInputs& inputs) {
        std::vector<isotick_input> entries;
        for (std::uint32_t i = 0; i < inputs.size(); ++i) {
            const auto& bytes = inputs[i];
            entries.push_back(
                {i, bytes ? 1U : 0U, bytes ? bytes->size() : 0, bytes ? bytes->data() : nullptr});
        }
        step({Tick{tick}, 1.0 / 60.0, 1, 60, Inputs(entries)});
    }
};

TEST(Skirmish, UnitsDieAndAreReplacedWithinAMinute) {
    constexpr std::uint32_t kUnits = 300;
    const SimulationSetup setup = setup_of(2, "units=300");
    const auto session = bot_inputs("skirmish", setup, 3600);
    Probe game(setup);
    std::size_t fewest = kUnits;
    for (std::uint64_t tick = 0; tick < session.size(); ++tick) {
        game.step_with(tick, session[tick]);
        fewest = std::min(fewest, game.units().size());
        ASSERT_LE(game.units().size(), kUnits);
    }
    EXPECT_LT(fewest, kUnits);
    EXPECT_TRUE(std::is_sorted(game.units().id.begin(), game.units().id.end()));
    EXPECT_GT(game.units().id.back(), kUnits + 20);  // ids of units made later
    EXPECT_NE(game.units().id.front(), game.units().id.back());
}

TEST(Skirmish, AnyBytesAreHarmless) {
    Pcg32 random(11);
    Probe game(setup_of(3, "units=60"));
    Probe again(setup_of(3, "units=60"));
    for (std::uint64_t tick = 0; tick < 2000; ++tick) {
        TickInputs inputs = nobody(3);
        for (auto& input : inputs) {
            input = Bytes(random.below(100));
            for (std::uint8_t& byte : *input) {
                // Small bytes are more often orders.
                byte = static_cast<std::uint8_t>(random.below(random.chance(1, 2) ? 5 : 256));
            }
        }
        game.step_with(tick, inputs);
        again.step_with(tick, inputs);
    }
    const reference::Units& units = game.units();
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        EXPECT_TRUE(units.position_x[unit] >= 0 && units.position_x[unit] < 1000.0F);
        EXPECT_TRUE(units.position_y[unit] >= 0 && units.position_y[unit] < 1000.0F);
    }
    EXPECT_EQ(units.position_x, again.units().position_x);
    EXPECT_EQ(units.health, again.units().health);
}

}  // namespace
}  // namespace isotick::core::core_tests
