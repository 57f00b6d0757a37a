#include <isotick/core/integrate.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

struct Pair {
    double x = 0;
    double y = 0;
    friend Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
    friend Pair operator*(Pair a, double s) { return {a.x * s, a.y * s}; }
    friend Pair operator/(Pair a, double s) { return {a.x / s, a.y / s}; }
    friend bool operator==(const Pair&, const Pair&) = default;
};

// x'' = −kx − bx', the spring and damper of the article, with its closed form.
struct DampedSpring {
    double stiffness;
    double damping;

    double operator()(const Motion<double>& now, double) const {
        return -stiffness * now.position - damping * now.velocity;
    }
    // Started at position 1, at rest, underdamped.
    [[nodiscard]] Motion<double> exact(double t) const {
        const double decay = damping / 2;
        const double frequency = std::sqrt(stiffness - decay * decay);
        const double sine = std::sin(frequency * t) / frequency;
        const double amplitude = std::exp(-decay * t);
        return {amplitude * (std::cos(frequency * t) + decay * sine),
                -amplitude * stiffness * sine};
    }
};

// The largest error on the way, so that no phase of the oscillation hides it.
double error_within_a_second(Integrator integrator, const DampedSpring& spring, int steps) {
    const double dt = 1.0 / steps;
    Motion<double> now{1, 0};
    double worst = 0;
    for (int i = 0; i < steps; ++i) {
        now = integrate(integrator, now, i * dt, dt, spring);
        const Motion<double> exact = spring.exact((i + 1) * dt);
        worst = std::max(worst,
                         std::hypot(now.position - exact.position, now.velocity - exact.velocity));
    }
    return worst;
}

// How fast the error falls when the step is halved: log2 of the quotient of the errors.
double observed_order(Integrator integrator, const DampedSpring& spring) {
    return std::log2(error_within_a_second(integrator, spring, 256) /
                     error_within_a_second(integrator, spring, 512));
}

struct Expected {
    Integrator integrator;
    double order;
    friend void PrintTo(const Expected& expected, std::ostream* out) {
        *out << to_string(expected.integrator);
    }
};

class IntegratorOrder : public testing::TestWithParam<Expected> {};

TEST_P(IntegratorOrder, HoldsForTheHarmonicOscillator) {
    EXPECT_NEAR(observed_order(GetParam().integrator, {10, 0}), GetParam().order, 0.1);
}

TEST_P(IntegratorOrder, HoldsForTheDampedSpring) {
    EXPECT_NEAR(observed_order(GetParam().integrator, {10, 1}), GetParam().order, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Of, IntegratorOrder,
                         testing::Values(Expected{Integrator::euler, 1},
                                         Expected{Integrator::semi_implicit_euler, 1},
                                         Expected{Integrator::velocity_verlet, 2},
                                         Expected{Integrator::rk2, 2},
                                         Expected{Integrator::rk4, 4}),
                         [](const auto& tested) {
                             std::string name(to_string(tested.param.integrator));
                             std::erase(name, '-');
                             return name;
                         });

// x'' = t from rest: x = t³/6, v = t²/2. Only an integrator that evaluates at the right times
// finds it.
TEST(Rk4, IsExactForAccelerationThatGrowsWithTime) {
    const auto growing = [](const Motion<double>&, double t) { return t; };
    const Motion<double> now = rk4(Motion<double>{}, 0.0, 6.0, growing);
    EXPECT_EQ(now.position, 36);
    EXPECT_EQ(now.velocity, 18);
}

TEST(Rk4, WeighsItsFourSamples) {
    int calls = 0;
    const auto nth = [&calls](const Motion<double>&, double) {
        constexpr double kSamples[] = {1, 10, 100, 1000};
        return kSamples[calls++];
    };
    EXPECT_EQ(rk4(Motion<double>{}, 0.0, 6.0, nth).velocity, 1 + 2 * (10 + 100) + 1000);
    EXPECT_EQ(calls, 4);
}

TEST(Rk2, SamplesTheMidpoint) {
    const auto growing = [](const Motion<double>&, double t) { return t; };
    EXPECT_EQ(rk2(Motion<double>{}, 2.0, 4.0, growing).velocity, 16);
}

TEST(ExplicitEuler, MovesWithTheOldVelocity) {
    const auto constant = [](const Motion<double>&, double) { return 2.0; };
    EXPECT_EQ(explicit_euler(Motion<double>{1, 3}, 0.0, 0.5, constant), (Motion<double>{2.5, 4}));
}

TEST(SemiImplicitEuler, MovesWithTheNewVelocity) {
    const auto constant = [](const Motion<double>&, double) { return 2.0; };
    EXPECT_EQ(semi_implicit_euler(Motion<double>{1, 3}, 0.0, 0.5, constant),
              (Motion<double>{3, 4}));
}

TEST(SemiImplicitEuler, KeepsASpringsEnergyBounded) {
    const DampedSpring spring{10, 0};
    Motion<double> now{1, 0};
    double most = 0;
    for (int i = 0; i < 100'000; ++i) {
        now = semi_implicit_euler(now, 0.0, 0.01, spring);
        most = std::max(most, 10 * now.position * now.position + now.velocity * now.velocity);
    }
    EXPECT_LT(most, 10.5);
}

// The example of the article: 50 + 3·100 + ½·100² = 5350, 3 + 100 = 103.
TEST(ConstantAcceleration, OneStepOrAHundredAlike) {
    const Motion<double> start{50, 3};
    EXPECT_EQ(constant_acceleration(start, 100.0, 1.0), (Motion<double>{5350, 103}));
    Motion<double> now = start;
    for (int i = 0; i < 100; ++i) {
        now = constant_acceleration(now, 1.0, 1.0);
    }
    EXPECT_EQ(now, (Motion<double>{5350, 103}));
}

TEST(VelocityVerlet, IsExactForConstantAcceleration) {
    const auto constant = [](const Motion<double>&, double) { return 1.0; };
    EXPECT_EQ(velocity_verlet(Motion<double>{50, 3}, 0.0, 100.0, constant),
              (Motion<double>{5350, 103}));
}

TEST(Integrate, TreatsTheAxesOfAVectorAlike) {
    const auto spring = [](const auto& now, double) { return now.position * -10.0; };
    for (const Integrator integrator : kIntegrators) {
        const Motion<double> flat{1.5, -2};
        const Motion<Pair> both{{1.5, 1.5}, {-2, -2}};
        const auto expected = integrate(integrator, flat, 0.0, 0.01, spring);
        const auto now = integrate(integrator, both, 0.0, 0.01, spring);
        EXPECT_EQ(now.position, (Pair{expected.position, expected.position}));
        EXPECT_EQ(now.velocity, (Pair{expected.velocity, expected.velocity}));
    }
}

TEST(Integrate, ComputesInFloatWhenGivenFloat) {
    const auto spring = [](const Motion<float>& now, float) { return now.position * -10.0F; };
    for (const Integrator integrator : kIntegrators) {
        const auto now = integrate(integrator, Motion<float>{1, 0}, 0.0F, 0.01F, spring);
        EXPECT_NEAR(now.velocity, -0.1F, 0.001F) << to_string(integrator);
    }
}

TEST(Integrator, ParsesWhatItPrints) {
    for (const Integrator integrator : kIntegrators) {
        EXPECT_EQ(parse_integrator(to_string(integrator)).value(), integrator);
    }
}

TEST(Integrator, RefusesOtherNamesAndSaysTheChoices) {
    for (const char* text : {"", "rk3", "RK4", "euler "}) {
        const auto parsed = parse_integrator(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_TRUE(parsed.error().message.ends_with(
            "choose from euler, semi-implicit-euler, velocity-verlet, rk2, rk4"));
    }
}

}  // namespace
}  // namespace isotick::core
