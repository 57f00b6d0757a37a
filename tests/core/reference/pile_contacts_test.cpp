// The pieces of a pile: narrow phase, broad phase, contact cache, islands.

#include "piles/pile.hpp"
#include "piles/pile_solver.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace isotick::core::reference::pile {
namespace {

Body circle(float x, float y) {
    return make_body(Shape::circle, {0.5F, 0.5F}, {x, y});
}

Body box(float x, float y) {
    return make_body(Shape::box, {1.0F, 0.5F}, {x, y});
}

Body floor() {
    Body wall;
    wall.rotation = {0.0F, 1.0F};
    return wall;
}

TEST(Collide, CirclesTouchInOnePoint) {
    const Manifold manifold = collide(circle(0, 0), circle(0.9F, 0), 0.0F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_EQ(manifold.normal.x, 1.0F);
    EXPECT_NEAR(manifold.points[0].separation, -0.1F, 1e-6F);
    EXPECT_NEAR(manifold.points[0].at.x, 0.45F, 1e-6F);
    EXPECT_EQ(collide(circle(0, 0), circle(1.1F, 0), 0.05F).count, 0U);
    EXPECT_EQ(collide(circle(0, 0), circle(1.1F, 0), 0.15F).count, 1U);
}

TEST(Collide, CirclesOfOneCentrePartUpwards) {
    const Manifold manifold = collide(circle(2, 2), circle(2, 2), 0.0F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_EQ(manifold.normal.y, 1.0F);
    EXPECT_EQ(manifold.points[0].separation, -1.0F);
}

TEST(Collide, ACircleTouchesTheSideOfABox) {
    const Manifold manifold = collide(box(0, 0), circle(0.3F, 0.9F), 0.0F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_EQ(manifold.normal.y, 1.0F);
    EXPECT_NEAR(manifold.points[0].separation, -0.1F, 1e-6F);
    EXPECT_NEAR(manifold.points[0].at.y, 0.45F, 1e-6F);
}

TEST(Collide, ACircleTouchesTheCornerOfABox) {
    const Manifold manifold = collide(box(0, 0), circle(1.3F, 0.8F), 0.0F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_NEAR(manifold.normal.x, 0.70710678F, 1e-5F);
    EXPECT_NEAR(manifold.points[0].separation, 0.42426407F - 0.5F, 1e-5F);
}

TEST(Collide, ACircleInsideOfABoxLeavesByTheNearestSide) {
    const Manifold manifold = collide(box(0, 0), circle(-0.9F, 0.1F), 0.0F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_EQ(manifold.normal.x, -1.0F);
    EXPECT_NEAR(manifold.points[0].separation, -0.6F, 1e-6F);
}

TEST(Collide, CircleAndBoxAgreeInEitherOrder) {
    const Manifold one = collide(box(0, 0), circle(0.3F, 0.9F), 0.0F);
    const Manifold other = collide(circle(0.3F, 0.9F), box(0, 0), 0.0F);
    EXPECT_EQ(other.normal.y, -one.normal.y);
    EXPECT_EQ(other.points[0].separation, one.points[0].separation);
}

TEST(Collide, ABoxOnABoxTouchesWhereTheyOverlap) {
    const Manifold manifold = collide(box(0, 0), box(0.5F, 0.98F), 0.0F);
    ASSERT_EQ(manifold.count, 2U);
    EXPECT_EQ(manifold.normal.y, 1.0F);
    EXPECT_NE(manifold.points[0].feature, manifold.points[1].feature);
    const auto [least, most] = std::minmax(manifold.points[0].at.x, manifold.points[1].at.x);
    EXPECT_NEAR(least, -0.5F, 1e-6F);
    EXPECT_NEAR(most, 1.0F, 1e-6F);
    for (const ManifoldPoint& point : manifold.points) {
        EXPECT_NEAR(point.separation, -0.02F, 1e-6F);
        EXPECT_NEAR(point.at.y, 0.49F, 1e-6F);
    }
}

TEST(Collide, ATiltedBoxTouchesWithItsCorner) {
    Body tilted = box(0, 1.55F);
    tilted.rotation = normalised(1.0F, 1.0F);
    const Manifold manifold = collide(box(0, 0), tilted, 0.01F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_EQ(manifold.normal.y, 1.0F);
    EXPECT_NEAR(manifold.points[0].separation, 1.55F - 0.5F - 1.06066017F, 1e-5F);
}

TEST(Collide, ATiltedBoxTouchesTheSameWayWhenItComesFirst) {
    Body tilted = box(0, 1.55F);
    tilted.rotation = normalised(1.0F, 1.0F);
    const Manifold manifold = collide(tilted, box(0, 0), 0.01F);
    ASSERT_EQ(manifold.count, 1U);
    EXPECT_EQ(manifold.normal.y, -1.0F);
    EXPECT_NE(manifold.points[0].feature, collide(box(0, 0), tilted, 0.01F).points[0].feature);
}

TEST(Collide, BoxesApartDoNotTouch) {
    EXPECT_EQ(collide(box(0, 0), box(2.1F, 0), 0.05F).count, 0U);
    EXPECT_EQ(collide(box(0, 0), box(0, 1.1F), 0.05F).count, 0U);
}

TEST(Collide, ABoxStandsOnTheFloorWithTwoCorners) {
    const Manifold manifold = collide(floor(), box(3, 0.49F), 0.0F);
    ASSERT_EQ(manifold.count, 2U);
    EXPECT_EQ(manifold.normal.y, 1.0F);
    EXPECT_EQ(manifold.points[0].feature, 0U);
    EXPECT_EQ(manifold.points[1].feature, 3U);
}

TEST(Collide, ABoxBelowTheFloorTouchesWithItsDeepestCorners) {
    Body sunk = box(3, -2.0F);
    sunk.rotation = normalised(1.0F, -0.1F);
    const Manifold manifold = collide(floor(), sunk, 0.0F);
    ASSERT_EQ(manifold.count, 2U);
    EXPECT_EQ(manifold.points[0].feature, 0U);
    EXPECT_EQ(manifold.points[1].feature, 3U);
}

// Walls that take part in nothing, and bodies all over a room of 12 × 12 m.
std::vector<Body> scattered_bodies(std::uint32_t count) {
    Pcg32 random(3);
    std::vector<Body> bodies(kWalls);
    for (std::uint32_t i = 0; i < count; ++i) {
        const float x = random.unit_float() * 12.0F;
        const float y = random.unit_float() * 12.0F;
        bodies.push_back(i % 2 == 0 ? circle(x, y) : box(x, y));
        bodies.back().rotation = normalised(1.0F, random.unit_float() * 3.0F);
        bodies.back().velocity.x = random.unit_float() * 5.0F;
    }
    return bodies;
}

TEST(BroadPhase, FindsEveryPairThatTouches) {
    const std::vector<Body> bodies = scattered_bodies(100);
    constexpr float kTick = 1.0F / 60.0F;
    BroadPhase broad_phase;
    const auto pairs = broad_phase.find(bodies, kTick);
    EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
    EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
    std::size_t touching = 0;
    for (std::uint32_t a = kWalls; a < bodies.size(); ++a) {
        for (std::uint32_t b = a + 1; b < bodies.size(); ++b) {
            const float margin = touching_margin(bodies[a], bodies[b], kTick);
            if (collide(bodies[a], bodies[b], margin).count != 0) {
                ++touching;
                EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), Pair{a, b}));
            }
        }
    }
    EXPECT_GT(touching, 50U);
    EXPECT_LT(pairs.size() - kWalls * 100, 100U * 99 / 4);
}

Constraint constraint_of(std::uint32_t a, std::uint32_t b, std::uint32_t feature) {
    Constraint constraint;
    constraint.contact = {a, b, feature, 0.0F, 0.0F};
    return constraint;
}

TEST(ContactCache, GivesImpulsesToTheSameContactOnly) {
    const std::vector<Contact> cache{
        {0, 5, 1, 1.0F, 0.1F}, {4, 5, 2, 2.0F, 0.2F}, {4, 6, 0, 3.0F, 0.3F}};
    std::vector<Constraint> constraints{constraint_of(0, 5, 0), constraint_of(0, 5, 1),
                                        constraint_of(4, 5, 3), constraint_of(4, 6, 0)};
    take_impulses(cache, constraints);
    EXPECT_EQ(constraints[0].contact.normal_impulse, 0.0F);
    EXPECT_EQ(constraints[1].contact.normal_impulse, 1.0F);
    EXPECT_EQ(constraints[1].contact.tangent_impulse, 0.1F);
    EXPECT_EQ(constraints[2].contact.normal_impulse, 0.0F);
    EXPECT_EQ(constraints[3].contact.normal_impulse, 3.0F);
}

TEST(ContactCache, KeepsTheContactsOfSleepersInOrder) {
    std::vector<Body> bodies = scattered_bodies(4);
    const std::vector<Island> islands{{4, 2, 1}, {6, 2, 0}};
    for (std::uint32_t body = kWalls; body < bodies.size(); ++body) {
        bodies[body].island = body < 6 ? 0 : 1;
    }
    std::vector<Contact> cache{{0, 5, 1, 1.0F, 0.0F}, {0, 6, 0, 2.0F, 0.0F}, {4, 5, 0, 3.0F, 0.0F}};
    std::vector<Contact> scratch;
    const std::vector<Constraint> constraints{constraint_of(0, 7, 0), constraint_of(6, 7, 0)};
    keep_impulses(constraints, bodies, islands, cache, scratch);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;
    for (const Contact& contact : cache) {
        kept.emplace_back(contact.a, contact.b);
    }
    using Kept = decltype(kept);
    EXPECT_EQ(kept, (Kept{{0, 5}, {0, 7}, {4, 5}, {6, 7}}));
}

TEST(Islands, DoNotDependOnTheOrderOfConstraints) {
    std::vector<Constraint> constraints{constraint_of(5, 9, 0), constraint_of(4, 8, 0),
                                        constraint_of(8, 9, 0), constraint_of(6, 11, 0),
                                        constraint_of(0, 7, 0), constraint_of(0, 10, 0)};
    const auto islands_of = [](const std::vector<Constraint>& joined) {
        std::vector<Body> bodies = scattered_bodies(8);
        std::vector<Island> islands;
        IslandBuilder().rebuild(bodies, joined, islands);
        std::vector<std::uint32_t> of_body;
        for (const Body& body : bodies) {
            of_body.push_back(body.island);
        }
        return of_body;
    };
    const std::vector<std::uint32_t> expected{kNoIsland, kNoIsland, kNoIsland, kNoIsland, 0, 0,
                                              1,         2,         0,         0,         3, 1};
    EXPECT_EQ(islands_of(constraints), expected);
    std::reverse(constraints.begin(), constraints.end());
    EXPECT_EQ(islands_of(constraints), expected);
    std::swap(constraints[1], constraints[4]);
    EXPECT_EQ(islands_of(constraints), expected);
}

TEST(Islands, SleepOnlyWhenAllTheirBodiesRest) {
    std::vector<Body> bodies = scattered_bodies(3);
    std::vector<Island> islands;
    IslandBuilder builder;
    const std::vector<Constraint> constraints{constraint_of(4, 5, 0)};
    for (Body& body : bodies) {
        body.velocity = {};
    }
    for (std::uint32_t tick = 1; tick <= kTicksToSleep; ++tick) {
        bodies[5].velocity.x = tick == 10 ? 1.0F : 0.0F;
        builder.rebuild(bodies, constraints, islands);
    }
    ASSERT_EQ(islands.size(), 2U);
    EXPECT_EQ(islands[0].asleep, 0U);
    EXPECT_EQ(islands[1].asleep, 1U);
}

}  // namespace
}  // namespace isotick::core::reference::pile
