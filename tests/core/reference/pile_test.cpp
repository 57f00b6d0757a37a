// The pile from outside: its parts, its inputs, its bot.

#include "pile_probe.hpp"

#include <set>

#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

// The state hash of a pile of one player after `input` in tick 0 and nothing in a second tick.
StateHash pile_hash_after(const std::optional<Bytes>& input) {
    Simulation simulation = create("pile", pile_setup(10, 1));
    step(simulation, 0, {input, std::nullopt});
    step(simulation, 1, {std::nullopt, std::nullopt});
    return simulation.hash().value();
}

const Bytes kPush{0, 3, 0, 16, 0xf0};
const Bytes kDrop{1, 3, 0, 128};

TEST(Pile, HasTheseParts) {
    Simulation simulation = create("pile", setup_of(2));
    simulation.hash().value();
    EXPECT_EQ(simulation.part_names(), (std::vector<std::string>{"world", "players", "bodies",
                                                                 "contacts", "islands", "random"}));
}

TEST(Pile, TwoRunsAreEqual) {
    const SimulationSetup setup = setup_of(4);
    const auto session = bot_inputs("pile", setup, 600);
    EXPECT_EQ(drive("pile", setup, session, nominal_frames(600)),
              drive("pile", setup, session, nominal_frames(600)));
}

TEST(Pile, FramesDoNotMatter) {
    const SimulationSetup setup = setup_of(2);
    const auto session = bot_inputs("pile", setup, 600);
    EXPECT_EQ(drive("pile", setup, session, nominal_frames(600)),
              drive("pile", setup, session, wild_frames(600, 1)));
}

TEST(Pile, SeedsGiveDifferentPiles) {
    SimulationSetup other = setup_of(0);
    other.seed = 2;
    EXPECT_NE(create("pile", setup_of(0)).hash().value(), create("pile", other).hash().value());
}

TEST(Pile, HashChangesEveryTickEvenWhenAllSleep) {
    Simulation simulation = create("pile", setup_of(0));
    std::set<std::uint64_t> seen{simulation.hash().value().value};
    for (std::uint64_t tick = 0; tick < 900; ++tick) {
        step(simulation, tick, {std::nullopt});
        seen.insert(simulation.hash().value().value);
    }
    EXPECT_EQ(seen.size(), 901U);
}

TEST(Pile, APushAndADropMatter) {
    EXPECT_NE(pile_hash_after(kPush), pile_hash_after(Bytes{}));
    EXPECT_NE(pile_hash_after(kDrop), pile_hash_after(Bytes{}));
    EXPECT_NE(pile_hash_after(kPush), pile_hash_after(kDrop));
}

TEST(Pile, AnEmptyInputIsNotAnAbsentOne) {
    EXPECT_NE(pile_hash_after(Bytes{}), pile_hash_after(std::nullopt));
}

TEST(Pile, BytesThatAreNoCommandAreIgnored) {
    const StateHash empty = pile_hash_after(Bytes{});
    EXPECT_EQ(pile_hash_after(Bytes{2, 3, 0, 16, 16}), empty);
    EXPECT_EQ(pile_hash_after(Bytes{0, 3, 0, 16}), empty);
    EXPECT_EQ(pile_hash_after(Bytes{1, 3, 0}), empty);
    EXPECT_EQ(pile_hash_after(Bytes{0xee, 0, 3, 0, 16, 16}), empty);
}

TEST(Pile, CommandsBeforeTheBadOneAreObeyed) {
    EXPECT_EQ(pile_hash_after(Bytes{0, 3, 0, 16, 0xf0, 9, 9}), pile_hash_after(kPush));
}

TEST(Pile, BodiesOfCommandsCountModuloTheirNumber) {
    EXPECT_EQ(pile_hash_after(Bytes{0, 13, 0, 16, 0xf0}), pile_hash_after(kPush));
}

TEST(Pile, APushChangesTheVelocityByASixteenth) {
    PileProbe probe(pile_setup(5, 1));
    const float right = probe.body(3).velocity.x;
    PileProbe pushed(pile_setup(5, 1));
    probe.step_with(0, TickInputs(2));
    pushed.step_with(0, {Bytes{0, 3, 0, 8, 0}, std::nullopt});
    EXPECT_NEAR(pushed.body(3).velocity.x - probe.body(3).velocity.x, 0.5F, 0.001F);
    EXPECT_NEAR(probe.body(3).velocity.x, right, 0.01F);
}

TEST(Pile, ADropTakesTheBodyUnderTheCeiling) {
    PileProbe probe(pile_setup(5, 1));
    probe.rest(120, 1);
    probe.step_with(120, {Bytes{1, 2, 0, 0}, std::nullopt});
    EXPECT_NEAR(probe.body(2).position.x, pile::kDropMargin, 0.01F);
    EXPECT_NEAR(probe.body(2).position.y, probe.world().height - pile::kDropMargin, 0.01F);
}

TEST(Pile, APlayerDropsOneBodyASecond) {
    PileProbe probe(pile_setup(5, 1));
    probe.rest(120, 1);
    const Bytes drop_both{1, 2, 0, 0, 1, 3, 0, 255};
    probe.step_with(120, {drop_both, std::nullopt});
    EXPECT_LT(probe.body(3).position.y, 3.0F);
    probe.rest(59, 1);
    const Bytes drop_other{1, 3, 0, 255};
    probe.step_with(180, {drop_other, std::nullopt});
    EXPECT_GT(probe.body(3).position.y, 4.0F);
}

TEST(Pile, ProposingAnInputDoesNotChangeTheState) {
    Simulation simulation = create("pile", setup_of(2));
    const StateHash before = simulation.hash().value();
    Bytes buffer;
    for (std::uint64_t entropy = 0; entropy < 1000; ++entropy) {
        simulation.propose_input(0, Tick{0}, entropy, buffer).value();
        EXPECT_EQ(simulation.propose_input(ISOTICK_WORLD, Tick{0}, entropy, buffer).value().present,
                  0U);
    }
    EXPECT_EQ(simulation.hash().value(), before);
}

TEST(Pile, BotPlaysNowAndThenAndAtVaryingLength) {
    std::set<std::size_t> lengths;
    std::size_t present = 0;
    for (const TickInputs& inputs : bot_inputs("pile", setup_of(2), 2000)) {
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

TEST(Pile, WorksWithOneBodyAndWithNoPlayers) {
    PileProbe probe(pile_setup(1));
    probe.rest(600);
    EXPECT_TRUE(probe.sleeps(0));
}

TEST(CommandReader, ReadsWhatAppendCommandWrites) {
    Bytes bytes;
    pile::append_command({pile::CommandKind::push, 0x1234, -1, 127, 0}, bytes);
    pile::append_command({pile::CommandKind::drop, 7, 0, 0, 0xfe}, bytes);
    EXPECT_EQ(bytes, (Bytes{0, 0x34, 0x12, 0xff, 0x7f, 1, 7, 0, 0xfe}));

    pile::CommandReader reader(bytes);
    const auto push = reader.next();
    ASSERT_TRUE(push);
    EXPECT_EQ(push->body, 0x1234);
    EXPECT_EQ(push->right, -1);
    EXPECT_EQ(push->up, 127);
    const auto drop = reader.next();
    ASSERT_TRUE(drop);
    EXPECT_EQ(drop->kind, pile::CommandKind::drop);
    EXPECT_EQ(drop->x, 0xfe);
    EXPECT_FALSE(reader.next());
}

TEST(CommandReader, TakesOnlySoManyCommands) {
    Bytes bytes;
    for (std::uint32_t i = 0; i < pile::CommandReader::kMostCommands + 5; ++i) {
        pile::append_command({pile::CommandKind::push, 1, 1, 1, 0}, bytes);
    }
    pile::CommandReader reader(bytes);
    std::uint32_t taken = 0;
    while (reader.next()) {
        ++taken;
    }
    EXPECT_EQ(taken, pile::CommandReader::kMostCommands);
}

}  // namespace
}  // namespace isotick::core::core_tests
