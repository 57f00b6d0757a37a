// The pile as physics: stacks stand, piles come to rest and sleep, nothing leaves.

#include "pile_probe.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

constexpr std::uint64_t kTenSeconds = 600;

TEST(PileRest, ATowerOfFiveBoxesStandsForTenSeconds) {
    PileProbe tower = make_tower(5);
    for (std::uint64_t tick = 0; tick < kTenSeconds; ++tick) {
        tower.rest(1);
        for (std::size_t i = 0; i < 5; ++i) {
            const float height = 0.4F + 0.8F * static_cast<float>(i);
            ASSERT_NEAR(tower.body(i).position.y, height, 0.06F) << "box " << i << " tick " << tick;
            ASSERT_NEAR(tower.body(i).position.x, 3.015F, 0.04F) << "box " << i << " tick " << tick;
            ASSERT_NEAR(tower.body(i).rotation.sine, 0.0F, 0.03F) << "box " << i;
        }
    }
    EXPECT_TRUE(tower.sleeps(0));
    EXPECT_TRUE(tower.sleeps(4));
}

TEST(PileRest, ATowerStandsBecauseOfItsContacts) {
    PileProbe tower = make_tower(5);
    tower.rest(kTenSeconds);
    // Two with the floor, two between any two boxes.
    EXPECT_EQ(tower.contacts().size(), 10U);
    float weight = 0.0F;
    for (const pile::Contact& contact : tower.contacts()) {
        weight += contact.a < pile::kWalls ? contact.normal_impulse : 0.0F;
    }
    constexpr float kFiveBoxes = 5 * 0.64F * 10.0F / 60.0F;  // newton seconds in a tick
    EXPECT_NEAR(weight, kFiveBoxes, 0.02F * kFiveBoxes);
}

TEST(PileRest, APileLosesItsEnergyAndSleeps) {
    PileProbe probe(setup_of(0));
    probe.rest(60);
    EXPECT_GT(probe.kinetic_energy(), 1.0F);
    probe.rest(1800);
    EXPECT_EQ(probe.kinetic_energy(), 0.0F);
    for (const pile::Island& island : probe.islands()) {
        EXPECT_EQ(island.asleep, 1U);
    }
}

TEST(PileRest, SleepersDoNotChange) {
    PileProbe tower = make_tower(5);
    tower.rest(kTenSeconds);
    const pile::Body before = tower.body(4);
    const auto contacts = tower.contacts().size();
    tower.rest(100);
    EXPECT_EQ(tower.body(4).position.y, before.position.y);
    EXPECT_EQ(tower.body(4).rotation.sine, before.rotation.sine);
    EXPECT_EQ(tower.contacts().size(), contacts);
}

// Two towers of two boxes each, far apart, asleep.
PileProbe two_sleeping_towers() {
    PileProbe probe(pile_setup(4, 1));
    place_box(probe, 0, 0.8F, 1.5F, 0.4F);
    place_box(probe, 1, 0.8F, 1.5F, 1.2F);
    place_box(probe, 2, 0.8F, 5.0F, 0.1F);
    place_box(probe, 3, 0.8F, 5.0F, 1.2F);
    probe.rest(120, 1);
    return probe;
}

TEST(PileRest, APushWakesTheWholeIslandAndNoOther) {
    PileProbe probe = two_sleeping_towers();
    for (std::size_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(probe.sleeps(i));
    }
    const Bytes push_top_of_first{0, 1, 0, 8, 0};
    probe.step_with(120, {push_top_of_first, std::nullopt});
    EXPECT_FALSE(probe.sleeps(0));
    EXPECT_FALSE(probe.sleeps(1));
    EXPECT_TRUE(probe.sleeps(2));
    EXPECT_TRUE(probe.sleeps(3));
    EXPECT_GT(probe.body(1).position.x, 1.5F);
}

TEST(PileRest, ABodyThatFallsOnSleepersWakesThem) {
    PileProbe probe = two_sleeping_towers();
    // Box 1 onto the tower of 2 and 3.
    const Bytes drop{1, 1, 0, 228};
    probe.step_with(120, {drop, std::nullopt});
    ASSERT_NEAR(probe.body(1).position.x, 5.0F, 0.1F);
    for (std::uint64_t tick = 0; tick < 120 && probe.sleeps(2); ++tick) {
        probe.rest(1, 1);
    }
    EXPECT_FALSE(probe.sleeps(2));
    EXPECT_LE(probe.body(2).rest_ticks, 1U);
    probe.rest(1200, 1);
    EXPECT_TRUE(probe.sleeps(2));
}

TEST(PileRest, WarmStartingMatters) {
    PileProbe kept = make_tower(5);
    PileProbe dropped = make_tower(5);
    kept.rest(20);
    dropped.rest(20);
    ASSERT_FALSE(kept.contacts().empty());
    dropped.contacts().clear();
    kept.rest(1);
    dropped.rest(1);
    EXPECT_NE(kept.body(4).velocity.y, dropped.body(4).velocity.y);
    EXPECT_NE(kept.body(0).position.y, dropped.body(0).position.y);
}

TEST(PileRest, IslandsAreSortedAndCountEveryBodyOnce) {
    PileProbe probe(setup_of(0));
    for (int i = 0; i < 300; ++i) {
        probe.rest(1);
        std::uint32_t bodies = 0;
        std::uint32_t first = 0;
        for (const pile::Island& island : probe.islands()) {
            EXPECT_GT(island.first, first);
            first = island.first;
            bodies += island.bodies;
        }
        EXPECT_EQ(bodies, 60U);
    }
}

void expect_inside(PileProbe& probe, float tolerance) {
    for (std::size_t i = pile::kWalls; i < probe.bodies().size(); ++i) {
        const pile::Body& body = probe.bodies()[i];
        for (std::size_t wall = 0; wall < pile::kWalls; ++wall) {
            const auto manifold = collide(probe.bodies()[wall], body, 0.0F);
            for (std::uint32_t point = 0; point < manifold.count; ++point) {
                ASSERT_GT(manifold.points[point].separation, -tolerance) << "body " << i;
            }
        }
        ASSERT_TRUE(body.position.x >= 0.0F && body.position.x <= probe.world().width);
        ASSERT_TRUE(body.position.y >= 0.0F && body.position.y <= probe.world().height);
        ASSERT_TRUE(std::abs(body.velocity.x) <= 30.0F && std::abs(body.velocity.y) <= 30.0F);
        const float length =
            body.rotation.cosine * body.rotation.cosine + body.rotation.sine * body.rotation.sine;
        ASSERT_NEAR(length, 1.0F, 1e-5F);
    }
}

TEST(PileRest, NothingEscapesInAMinuteOfPlay) {
    const SimulationSetup setup = setup_of(8);
    const auto session = bot_inputs("pile", setup, 3600);
    PileProbe probe(setup);
    for (std::uint64_t tick = 0; tick < session.size(); ++tick) {
        probe.step_with(tick, session[tick]);
        expect_inside(probe, 0.3F);
        ASSERT_FALSE(HasFatalFailure()) << "tick " << tick;
    }
}

TEST(PileRest, AFastBodyStopsAtTheFloorWithoutSinkingIn) {
    PileProbe probe = make_tower(1);
    probe.body(0).position.y = 4.0F;
    probe.body(0).velocity.y = -30.0F;
    for (std::uint64_t tick = 0; tick < 60; ++tick) {
        probe.rest(1);
        EXPECT_GT(probe.body(0).position.y, 0.4F - 0.01F) << "tick " << tick;
    }
}

TEST(PileRest, AnyBytesAreHarmless) {
    Pcg32 random(11);
    PileProbe probe(pile_setup(20, 3));
    PileProbe again(pile_setup(20, 3));
    for (std::uint64_t tick = 0; tick < 2000; ++tick) {
        TickInputs inputs(4);
        for (auto& input : inputs) {
            input = Bytes(random.below(100));
            for (std::uint8_t& byte : *input) {
                // Small bytes are more often commands.
                byte = static_cast<std::uint8_t>(random.below(random.chance(1, 2) ? 3 : 256));
            }
        }
        probe.step_with(tick, inputs);
        again.step_with(tick, inputs);
        expect_inside(probe, 1.0F);
        ASSERT_FALSE(HasFatalFailure()) << "tick " << tick;
    }
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(probe.body(i).position.x, again.body(i).position.x);
    }
}

TEST(PileRest, TicksOfAnyLengthAreHarmless) {
    constexpr double kLengths[]{-1.0, 0.0, 1e-40, 1e-9, 1e-3, 1.0 / 60.0, 0.1, 1.0, 1e30};
    Pcg32 random(5);
    PileProbe probe(pile_setup(40));
    for (std::uint64_t tick = 0; tick < 2000; ++tick) {
        const double seconds = kLengths[random.below(std::size(kLengths))];
        const isotick_input world{ISOTICK_WORLD, 0, 0, nullptr};
        probe.step({Tick{tick}, seconds, 0, 0, Inputs(std::span(&world, 1))});
        expect_inside(probe, 100.0F);
        ASSERT_FALSE(HasFatalFailure()) << "tick " << tick;
        for (const pile::Contact& contact : probe.contacts()) {
            ASSERT_TRUE(std::isfinite(contact.normal_impulse));
        }
    }
}

}  // namespace
}  // namespace isotick::core::core_tests
