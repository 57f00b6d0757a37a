// What must hold for every rate, every option and every schedule, over a million frames each.

#include <isotick/core/loop.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using Units = AccumulatorLoop::Units;

constexpr std::uint64_t kSeed = 20'040'610;
constexpr std::uint64_t kFrames = 1'000'000;

struct Terms {
    std::uint64_t numerator;
    std::uint64_t denominator;
    friend void PrintTo(const Terms& terms, std::ostream* out) {
        *out << terms.numerator << '/' << terms.denominator << "hz";
    }
};

class EveryRate : public testing::TestWithParam<Terms> {
  protected:
    TickRate rate_ = TickRate::make(GetParam().numerator, GetParam().denominator).value();
};

TEST_P(EveryRate, NominalGivesOneTickPerFrame) {
    AccumulatorLoop loop = AccumulatorLoop::make(rate_).value();
    std::int64_t ended = 0;
    for (std::uint64_t frame = 0; frame < 4 * kFrames; ++frame) {
        const std::int64_t end = rate_.time_of(frame + 1);
        const FramePlan plan = loop.advance(FrameTime{end - ended});
        ASSERT_EQ(plan.ticks, 1U) << "frame " << frame;
        ASSERT_EQ(plan.alpha, 0.0) << "frame " << frame;
        ended = end;
    }
}

TEST_P(EveryRate, TwiceTheNominalRateOfFramesStepsEveryOther) {
    const TickRate frame_rate =
        TickRate::make(2 * GetParam().numerator, GetParam().denominator).value();
    AccumulatorLoop loop = AccumulatorLoop::make(rate_).value();
    std::int64_t ended = 0;
    for (std::uint64_t frame = 0; frame < kFrames; ++frame) {
        const std::int64_t end = frame_rate.time_of(frame + 1);
        ASSERT_EQ(loop.advance(FrameTime{end - ended}).ticks, frame % 2) << "frame " << frame;
        ended = end;
    }
}

// The article's clock, by an independent route: after any frames, as many ticks are done as
// TickRate::time_of says fit into the time so far.
TEST_P(EveryRate, TicksDoneAreThoseWhoseTimeHasCome) {
    LoopOptions options;
    options.longest_frame.reset();
    AccumulatorLoop loop = AccumulatorLoop::make(rate_, options).value();
    Pcg32 random(kSeed);
    const std::int64_t most = 3 * rate_.time_of(1);
    std::int64_t now = 0;
    std::uint64_t done = 0;
    for (std::uint64_t frame = 0; frame < kFrames; ++frame) {
        const std::int64_t frame_time = random.between(0, most);
        now += frame_time;
        done += loop.advance(FrameTime{frame_time}).ticks;
        ASSERT_TRUE(rate_.time_of(done) <= now && now < rate_.time_of(done + 1))
            << "frame " << frame << " seed " << kSeed;
    }
}

INSTANTIATE_TEST_SUITE_P(At, EveryRate,
                         testing::Values(Terms{60, 1}, Terms{60'000, 1'001}, Terms{144, 1},
                                         Terms{7, 3}, Terms{30, 1}, Terms{35, 1}, Terms{1, 3},
                                         Terms{499'999'993, 1'000'003}),
                         [](const auto& tested) {
                             return std::to_string(tested.param.numerator) + "over" +
                                    std::to_string(tested.param.denominator) + "hz";
                         });

// The due time of tick `count` by definition: its exact time, floored. Terms of a few thousand at
// most keep the products within 128 bits.
Units due_time(std::uint64_t count, TickRate rate, const LoopOptions& options) {
    const auto [phase, whole] = options.start_phase;
    const Units tick = Units{rate.denominator()} * 1'000'000'000 * options.time_scale.denominator;
    const Units nanosecond = Units{rate.numerator()} * options.time_scale.numerator;
    return (Units{count} * whole - phase) * tick / (nanosecond * whole);
}

Fraction any_small_fraction(Pcg32& random, std::uint32_t least) {
    const std::uint32_t denominator = random.below(1000) + 1;
    return {random.below(denominator + 1 - least) + least, denominator};
}

TEST(AccumulatorLoopProperty, EveryTickIsDueAtItsFlooredTimeForAnyScaleAndPhase) {
    constexpr std::uint64_t kLoops = 200;
    for (std::uint64_t trial = 0; trial < kLoops; ++trial) {
        const std::uint64_t seed = derive_seed(kSeed, {trial});
        SCOPED_TRACE("seed " + std::to_string(seed));
        Pcg32 random(seed);
        const TickRate rate = TickRate::make(random.below(1000) + 1, random.below(7) + 1).value();
        const LoopOptions options{.longest_frame = {},
                                  .most_ticks = {},
                                  .time_scale = any_small_fraction(random, 1),
                                  .start_phase = any_small_fraction(random, 0)};
        AccumulatorLoop loop = AccumulatorLoop::make(rate, options).value();
        Units now = 0;
        std::uint64_t done = 0;
        while (done < kFrames / kLoops) {
            const bool to_the_nanosecond = random.chance(1, 2);
            const Units next = due_time(done + 1, rate, options);
            const auto frame_time = to_the_nanosecond && next > now
                                        ? static_cast<std::int64_t>(next - now) - random.below(2)
                                        : random.between(0, 50'000'000);
            now += static_cast<std::uint64_t>(frame_time);
            done += loop.advance(FrameTime{frame_time}).ticks;
            ASSERT_TRUE(done == 0 || due_time(done, rate, options) <= now);
            ASSERT_TRUE(now < due_time(done + 1, rate, options));
        }
    }
}

Fraction any_fraction(Pcg32& random, std::uint64_t most) {
    const auto denominator = static_cast<std::uint64_t>(random.between(1, 1'000'000'000));
    const std::uint64_t largest = std::min<std::uint64_t>(most * denominator, 1'000'000'000);
    return {static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(largest))),
            denominator};
}

TickRate any_rate(Pcg32& random) {
    const auto term = [&random] { return static_cast<std::uint64_t>(random.between(1, 100'000)); };
    const std::uint64_t numerator = term();
    return TickRate::make(numerator, term()).value();
}

LoopOptions any_options(Pcg32& random) {
    LoopOptions options;
    if (random.chance(1, 2)) {  // else sums mostly fit 64 bits, but for the longest frames
        options.time_scale = any_fraction(random, 3);
    }
    options.start_phase = any_fraction(random, 1);
    if (random.chance(1, 2)) {
        options.most_ticks = random.below(5) + 1;
    }
    if (random.chance(1, 3)) {
        options.longest_frame.reset();
    }
    return options;
}

FrameTime any_frame_time(Pcg32& random) {
    switch (random.below(8)) {
        case 0:
            return FrameTime{0};
        case 1:
            return FrameTime{-random.between(0, 1'000'000'000)};
        case 2:
            return FrameTime{random.between(0, 1'000'000'000'000'000'000)};
        case 3:
            return FrameTime{random.between(0, 10)};
        default:
            return FrameTime{random.between(1'000'000, 40'000'000)};
    }
}

// Runs `frames` frames and counts for itself what the loop was given and what it gave back.
void expect_balance(AccumulatorLoop loop, const LoopOptions& options, Pcg32& random,
                    std::uint64_t frames) {
    Units fed = 0;
    Units used = 0;
    for (std::uint64_t frame = 0; frame < frames; ++frame) {
        const FrameTime frame_time = any_frame_time(random);
        const FramePlan plan = loop.advance(frame_time);
        ASSERT_GE(plan.cut.nanoseconds, 0);
        fed += static_cast<std::uint64_t>(std::max<std::int64_t>(frame_time.nanoseconds, 0) -
                                          plan.cut.nanoseconds);
        used += Units{plan.ticks} + plan.given_up;
        ASSERT_TRUE(loop.start() + fed * loop.per_nanosecond() ==
                    loop.held() + used * loop.per_tick())
            << "frame " << frame;
        ASSERT_TRUE(loop.held() < loop.per_tick()) << "frame " << frame;
        ASSERT_TRUE(plan.alpha >= 0 && plan.alpha < 1) << "frame " << frame;
        ASSERT_TRUE(plan.given_up == 0 || plan.ticks == options.most_ticks) << "frame " << frame;
    }
}

TEST(AccumulatorLoopProperty, TicksAndRemainderAndGivenUpAreTheTimeFed) {
    constexpr std::uint64_t kLoops = 100;
    for (std::uint64_t trial = 0; trial < kLoops; ++trial) {
        const std::uint64_t seed = derive_seed(kSeed, {trial});
        SCOPED_TRACE("seed " + std::to_string(seed));
        Pcg32 random(seed);
        const TickRate rate = any_rate(random);
        const LoopOptions options = any_options(random);
        expect_balance(AccumulatorLoop::make(rate, options).value(), options, random,
                       kFrames / kLoops);
        ASSERT_FALSE(HasFailure());
    }
}

TEST(AccumulatorLoopProperty, HoldsOverAMillionFramesOfOneLoop) {
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    Pcg32 random(kSeed);
    LoopOptions options;
    options.time_scale = {347'712'371, 1'000'000'000};
    options.start_phase = {1, 3};
    const TickRate rate = TickRate::make(60'000, 1'001).value();
    expect_balance(AccumulatorLoop::make(rate, options).value(), options, random, kFrames);
}

}  // namespace
}  // namespace isotick::core
