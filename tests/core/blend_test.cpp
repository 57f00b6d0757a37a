#include <isotick/core/blend.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

constexpr std::uint64_t kBlendSeed = 20'040'610;

struct BlendedPair {
    float x = 0;
    float y = 0;
    friend BlendedPair operator+(BlendedPair a, BlendedPair b) { return {a.x + b.x, a.y + b.y}; }
    friend BlendedPair operator-(BlendedPair a, BlendedPair b) { return {a.x - b.x, a.y - b.y}; }
    friend BlendedPair operator*(BlendedPair a, float s) { return {a.x * s, a.y * s}; }
    friend bool operator==(const BlendedPair&, const BlendedPair&) = default;
};

struct Quaternion {
    double w = 1;
    double x = 0;
    double y = 0;
    double z = 0;
    friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

Quaternion about_z(double degrees) {
    const double half = degrees * std::numbers::pi / 360;
    return {std::cos(half), 0, 0, std::sin(half)};
}

Quaternion negated(const Quaternion& q) {
    return {-q.w, -q.x, -q.y, -q.z};
}

// Equal as rotations: q and −q are one.
void expect_same_rotation(const Quaternion& a, const Quaternion& b, double tolerance = 1e-12) {
    const double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    EXPECT_NEAR(std::abs(cosine), 1, tolerance);
}

float any_float(Pcg32& random) {
    const auto exponent = static_cast<int>(random.between(-20, 20));
    const float size = std::ldexp(random.unit_float(), exponent);
    return random.chance(1, 2) ? size : -size;
}

TEST(Lerp, IsExactAtBothEnds) {
    Pcg32 random(kBlendSeed);
    for (int i = 0; i < 10'000; ++i) {
        const float a = any_float(random);
        const float b = any_float(random);
        ASSERT_EQ(lerp(a, b, 0.0F), a);
        ASSERT_EQ(lerp(a, b, 1.0F), b);
    }
}

TEST(Lerp, KeepsTheSignOfZeroAtTheEnds) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(lerp(-0.0F, 5.0F, 0.0F)), 0x8000'0000U);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(lerp(5.0F, -0.0F, 1.0F)), 0x8000'0000U);
}

TEST(Lerp, IsMonotoneAndStaysBetweenTheEnds) {
    Pcg32 random(kBlendSeed);
    for (int i = 0; i < 2'000; ++i) {
        const float a = any_float(random);
        const float b = random.chance(1, 2) ? any_float(random) : std::nextafter(a, 1e30F);
        const float low = std::min(a, b);
        const float high = std::max(a, b);
        float last = low;
        for (int step = 0; step <= 64; ++step) {
            const float alpha = step < 64 ? static_cast<float>(step) / 64.0F : 0x1.fffffep-1F;
            const float now = lerp(low, high, alpha);
            ASSERT_LE(last, now) << low << ' ' << high << ' ' << alpha << " seed " << kBlendSeed;
            ASSERT_LE(now, high) << low << ' ' << high << ' ' << alpha << " seed " << kBlendSeed;
            last = now;
        }
    }
}

TEST(Lerp, DoesNotMoveBetweenEqualEnds) {
    Pcg32 random(kBlendSeed);
    for (int i = 0; i < 10'000; ++i) {
        const float a = any_float(random);
        const float alpha = random.unit_float();
        ASSERT_EQ(lerp(a, a, alpha), a);
        ASSERT_EQ(lerp(BlendedPair{a, -a}, BlendedPair{a, -a}, alpha), (BlendedPair{a, -a}));
    }
}

TEST(Lerp, MeetsInTheMiddle) {
    EXPECT_EQ(lerp(2.0, 4.0, 0.5), 3.0);
    EXPECT_EQ(lerp(BlendedPair{2, -8}, BlendedPair{4, 8}, 0.5F), (BlendedPair{3, 0}));
}

// The loop's alpha is a double whatever the state is made of; close to 1 it is no float.
TEST(Lerp, StaysBetweenTheEndsWhereAlphaIsFinerThanTheNumbers) {
    Pcg32 random(kBlendSeed);
    for (int i = 0; i < 10'000; ++i) {
        const float a = any_float(random);
        const float b = any_float(random);
        ASSERT_EQ(lerp(a, b, 0x1.fffffffffffffp-1), b) << a << ' ' << b;
    }
}

TEST(Lerp, TreatsAlphaOutsideTheUnitIntervalAsTheNearerEnd) {
    EXPECT_EQ(lerp(2.0, 4.0, -1.0), 2.0);
    EXPECT_EQ(lerp(2.0, 4.0, 9.0), 4.0);
}

TEST(Lerp, IsExactAtBothEndsOfVectors) {
    Pcg32 random(kBlendSeed);
    for (int i = 0; i < 10'000; ++i) {
        const BlendedPair a{any_float(random), any_float(random)};
        const BlendedPair b{any_float(random), any_float(random)};
        ASSERT_EQ(lerp(a, b, 0.0F), a);
        ASSERT_EQ(lerp(a, b, 1.0F), b);
    }
}

TEST(LerpAngle, TakesTheShortWayRound) {
    EXPECT_NEAR(lerp_angle(3.0, -3.0, 0.5), std::numbers::pi, 1e-12);
    EXPECT_NEAR(lerp_angle(0.1, 0.3, 0.5), 0.2, 1e-12);
    EXPECT_NEAR(lerp_angle(0.0, 0.2 + 20 * std::numbers::pi, 0.5), 0.1, 1e-12);
}

TEST(LerpAngle, IsExactAtBothEnds) {
    EXPECT_EQ(lerp_angle(3.0, -3.0, 0.0), 3.0);
    EXPECT_EQ(lerp_angle(3.0, -3.0, 1.0), -3.0);
}

TEST(Extrapolate, GoesOnAsBefore) {
    EXPECT_EQ(extrapolate(2.0, 3.0, 0.5), 3.5);
    EXPECT_EQ(extrapolate(BlendedPair{0, 0}, BlendedPair{2, 4}, 0.5F), (BlendedPair{3, 6}));
    EXPECT_EQ(extrapolate_velocity(3.0, 8.0, 0.25), 5.0);
}

TEST(Extrapolate, IsExactlyTheCurrentAtZero) {
    EXPECT_EQ(extrapolate(0.1, 0.7, 0.0), 0.7);
    EXPECT_EQ(extrapolate_rotation(about_z(1), about_z(77), 0.0), about_z(77));
}

TEST(ExtrapolateRotation, GoesOnTurning) {
    expect_same_rotation(extrapolate_rotation(about_z(10), about_z(30), 0.5), about_z(40));
    expect_same_rotation(extrapolate_rotation(about_z(10), negated(about_z(30)), 0.5), about_z(40));
    expect_same_rotation(extrapolate_rotation(about_z(10), about_z(11), 0.5), about_z(11.5));
}

TEST(Slerp, IsExactAtBothEnds) {
    EXPECT_EQ(slerp(about_z(10), about_z(77), 0.0), about_z(10));
    EXPECT_EQ(slerp(about_z(10), about_z(77), 1.0), about_z(77));
    EXPECT_EQ(slerp(about_z(10), negated(about_z(77)), 1.0), negated(about_z(77)));
}

TEST(Slerp, TurnsAtConstantSpeed) {
    for (const double alpha : {0.1, 0.25, 0.5, 0.9}) {
        expect_same_rotation(slerp(about_z(0), about_z(120), alpha), about_z(120 * alpha), 1e-14);
    }
}

TEST(Slerp, TakesTheShortWayRound) {
    expect_same_rotation(slerp(about_z(0), about_z(270), 0.5), about_z(-45));
    expect_same_rotation(slerp(about_z(0), negated(about_z(90)), 0.5), about_z(45));
}

TEST(Slerp, TurnsHalfATurnThroughAQuarter) {
    const Quaternion half{0, 0, 0, 1};
    expect_same_rotation(slerp(Quaternion{}, half, 0.5), about_z(90));
    expect_same_rotation(slerp(Quaternion{}, negated(half), 0.5), about_z(-90));
}

TEST(Slerp, StaysUnitAndRightWhereTheEndsAreNearlyParallel) {
    for (const double degrees : {0.0, 1e-12, 1e-6, 1.0, 3.6, 3.7}) {
        for (const double alpha : {0.1, 0.5, 0.9}) {
            const Quaternion now = slerp(about_z(0), about_z(degrees), alpha);
            EXPECT_NEAR(now.w * now.w + now.z * now.z, 1, 1e-15) << degrees;
            EXPECT_NEAR(now.z, about_z(degrees * alpha).z, 1e-6) << degrees;
        }
    }
}

TEST(Slerp, OfOppositeQuaternionsStaysAtTheOneRotationTheyAre) {
    expect_same_rotation(slerp(about_z(33), negated(about_z(33)), 0.5), about_z(33));
}

}  // namespace
}  // namespace isotick::core
