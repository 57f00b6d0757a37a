#include <isotick/core/loop.hpp>

#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TickRate loop_rate(std::uint64_t numerator, std::uint64_t denominator = 1) {
    return TickRate::make(numerator, denominator).value();
}

AccumulatorLoop loop_of(TickRate tick_rate, const LoopOptions& options = {}) {
    return AccumulatorLoop::make(tick_rate, options).value();
}

LoopOptions no_limits() {
    LoopOptions options;
    options.longest_frame.reset();
    return options;
}

std::vector<std::uint64_t> ticks_of(AccumulatorLoop loop, std::initializer_list<int> frames_ms) {
    std::vector<std::uint64_t> ticks;
    for (const int frame_ms : frames_ms) {
        ticks.push_back(loop.advance(FrameTime{frame_ms * kMillisecond}).ticks);
    }
    return ticks;
}

using Counts = std::vector<std::uint64_t>;

// The forum's example: steps of 10 ms, frames of 17 ms.
TEST(AccumulatorLoop, CarriesWhatIsLeftIntoTheNextFrame) {
    AccumulatorLoop loop = loop_of(loop_rate(100));
    const FramePlan first = loop.advance(FrameTime{17 * kMillisecond});
    EXPECT_EQ(first.ticks, 1U);
    EXPECT_DOUBLE_EQ(first.alpha, 0.7);
    const FramePlan second = loop.advance(FrameTime{17 * kMillisecond});
    EXPECT_EQ(second.ticks, 2U);
    EXPECT_DOUBLE_EQ(second.alpha, 0.4);
}

TEST(AccumulatorLoop, TakesHalfAStepPerFrameInTurns) {
    EXPECT_EQ(ticks_of(loop_of(loop_rate(100)), {5, 5, 5, 5, 5}), (Counts{0, 1, 0, 1, 0}));
}

TEST(AccumulatorLoop, AlphaIsTheShareOfTheNextTick) {
    AccumulatorLoop loop = loop_of(loop_rate(100));
    EXPECT_EQ(loop.advance(FrameTime{5 * kMillisecond}).alpha, 0.5);
    EXPECT_EQ(loop.advance(FrameTime{5 * kMillisecond}).alpha, 0.0);
}

TEST(AccumulatorLoop, ATickIsDueAtItsFlooredNanosecond) {
    AccumulatorLoop loop = loop_of(loop_rate(60));
    EXPECT_EQ(loop.advance(FrameTime{16'666'665}).ticks, 0U);
    const FramePlan due = loop.advance(FrameTime{1});
    EXPECT_EQ(due.ticks, 1U);
    EXPECT_EQ(due.alpha, 0.0);
}

TEST(AccumulatorLoop, AlphaStaysBelowOneJustBeforeATick) {
    AccumulatorLoop loop = loop_of(loop_rate(1, 1'000'000'000), no_limits());
    const FramePlan plan = loop.advance(FrameTime{1'000'000'000'000'000'000 - 1});
    EXPECT_EQ(plan.ticks, 0U);
    EXPECT_LT(plan.alpha, 1.0);
    EXPECT_GT(plan.alpha, 0.999'999'999'999);
}

TEST(AccumulatorLoop, CutsALongFrameToAQuarterSecond) {
    AccumulatorLoop loop = loop_of(loop_rate(100));
    const FramePlan plan = loop.advance(FrameTime{251 * kMillisecond});
    EXPECT_EQ(plan.ticks, 25U);
    EXPECT_EQ(plan.cut, FrameTime{kMillisecond});
    EXPECT_EQ(plan.given_up, 0U);
    EXPECT_EQ(plan.alpha, 0.0);
}

TEST(AccumulatorLoop, CutsNothingWhereFramesMayBeLong) {
    AccumulatorLoop loop = loop_of(loop_rate(100), no_limits());
    EXPECT_EQ(loop.advance(FrameTime{10'000 * kMillisecond}).ticks, 1'000U);
}

TEST(AccumulatorLoop, NeverCutsATickInTwo) {
    AccumulatorLoop loop = loop_of(loop_rate(1));  // a tick is longer than the quarter second
    EXPECT_EQ(loop.advance(FrameTime{kNanosecondsPerSecond}).ticks, 1U);
}

TEST(AccumulatorLoop, NegativeAndZeroFrameTimesChangeNothing) {
    AccumulatorLoop loop = loop_of(loop_rate(100));
    (void)loop.advance(FrameTime{15 * kMillisecond});
    for (const std::int64_t nothing : {std::int64_t{0}, std::int64_t{-1}, -kLargest - 1}) {
        const FramePlan plan = loop.advance(FrameTime{nothing});
        EXPECT_EQ(plan.ticks, 0U);
        EXPECT_EQ(plan.alpha, 0.5);
        EXPECT_EQ(plan.cut, FrameTime{0});
    }
}

TEST(AccumulatorLoop, GivesUpWholeTicksAndKeepsTheFraction) {
    LoopOptions options;
    options.most_ticks = 3;
    AccumulatorLoop loop = loop_of(loop_rate(100), options);
    const FramePlan plan = loop.advance(FrameTime{95 * kMillisecond});
    EXPECT_EQ(plan.ticks, 3U);
    EXPECT_EQ(plan.given_up, 6U);
    EXPECT_EQ(plan.alpha, 0.5);
    EXPECT_EQ(loop.advance(FrameTime{5 * kMillisecond}).ticks, 1U);
}

TEST(AccumulatorLoop, RunsSlowAtASmallTimeScale) {
    LoopOptions options;
    options.time_scale = {1, 4};
    EXPECT_EQ(ticks_of(loop_of(loop_rate(100), options), {10, 10, 10, 10, 10}),
              (Counts{0, 0, 0, 1, 0}));
}

// The article's comments: "what happens when you need to run 34.7712371% speed?"
TEST(AccumulatorLoop, RunsAtAnAwkwardTimeScaleExactly) {
    LoopOptions options;
    options.time_scale = {347'712'371, 1'000'000'000};
    AccumulatorLoop loop = loop_of(loop_rate(60), options);
    std::uint64_t ticks = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        ticks += loop.advance(FrameTime{10 * kMillisecond}).ticks;
    }
    // 10^4 s × 60 Hz × 0.347712371 = 208 627.4226 ticks
    EXPECT_EQ(ticks, 208'627U);
    EXPECT_NEAR(loop.advance(FrameTime{0}).alpha, 0.4226, 1e-12);
}

TEST(AccumulatorLoop, StandsStillAtTimeScaleZero) {
    LoopOptions options = no_limits();
    options.time_scale = {0, 1};
    AccumulatorLoop loop = loop_of(loop_rate(60), options);
    for (int i = 0; i < 100; ++i) {
        const FramePlan plan = loop.advance(FrameTime{kLargest});
        EXPECT_EQ(plan.ticks, 0U);
        EXPECT_EQ(plan.alpha, 0.0);
    }
}

TEST(AccumulatorLoop, StepsInTheFirstFrameAtStartPhaseOne) {
    LoopOptions options;
    options.start_phase = {1, 1};
    EXPECT_EQ(ticks_of(loop_of(loop_rate(100), options), {0, 5, 5}), (Counts{1, 0, 1}));
}

TEST(AccumulatorLoop, StartsInTheMiddleOfATick) {
    LoopOptions options;
    options.start_phase = {1, 3};
    AccumulatorLoop loop = loop_of(loop_rate(1), options);
    EXPECT_EQ(loop.advance(FrameTime{666'666'665}).ticks, 0U);
    EXPECT_EQ(loop.advance(FrameTime{1}).ticks, 1U);  // two thirds of a second, floored
}

TEST(AccumulatorLoop, TakesHugeFramesWhereNothingIsLimited) {
    AccumulatorLoop loop = loop_of(loop_rate(1'000'000'000), no_limits());
    EXPECT_EQ(loop.advance(FrameTime{kLargest}).ticks, static_cast<std::uint64_t>(kLargest));
    EXPECT_EQ(loop.advance(FrameTime{kLargest}).ticks, static_cast<std::uint64_t>(kLargest));
}

// Every term as large as it may be: the sums come closest to 128 bits here.
TEST(AccumulatorLoop, StaysExactAtTheLargestTerms) {
    LoopOptions options = no_limits();
    options.time_scale = {1'000'000'000, 999'999'999};
    options.start_phase = {999'999'999, 1'000'000'000};
    AccumulatorLoop loop = loop_of(loop_rate(1'000'000'000, 999'999'999), options);
    const FramePlan plan = loop.advance(FrameTime{kLargest});
    // floor((2^63 − 1) × 10^9 / 999999999² + phase), computed elsewhere in arbitrary precision
    EXPECT_EQ(plan.ticks, 9'223'372'056U);
    EXPECT_NEAR(plan.alpha, 0.301519907379668, 1e-12);
}

struct Refused {
    const char* name;
    LoopOptions options;
    ErrorCode code;
    friend void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }
};

class RefusedLoopOptions : public testing::TestWithParam<Refused> {};

TEST_P(RefusedLoopOptions, AreErrors) {
    const auto made = AccumulatorLoop::make(loop_rate(60), GetParam().options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, GetParam().code) << made.error().message;
}

Refused refused(const char* name, ErrorCode code, void (*spoil)(LoopOptions&)) {
    Refused each{name, {}, code};
    spoil(each.options);
    return each;
}

INSTANTIATE_TEST_SUITE_P(
    Such, RefusedLoopOptions,
    testing::Values(refused("NoLongestFrame", ErrorCode::usage,
                            [](LoopOptions& o) { o.longest_frame = FrameTime{0}; }),
                    refused("NegativeLongestFrame", ErrorCode::usage,
                            [](LoopOptions& o) { o.longest_frame = FrameTime{-1}; }),
                    refused("NoTicks", ErrorCode::usage, [](LoopOptions& o) { o.most_ticks = 0; }),
                    refused("ScaleOverZero", ErrorCode::usage,
                            [](LoopOptions& o) {
                                o.time_scale = {1, 0};
                            }),
                    refused("PhaseOverZero", ErrorCode::usage,
                            [](LoopOptions& o) {
                                o.start_phase = {0, 0};
                            }),
                    refused("PhaseAboveOne", ErrorCode::usage,
                            [](LoopOptions& o) {
                                o.start_phase = {3, 2};
                            }),
                    refused("HugeScaleNumerator", ErrorCode::limit,
                            [](LoopOptions& o) {
                                o.time_scale = {1'000'000'001, 1'000'000'000};
                            }),
                    refused("HugePhaseDenominator", ErrorCode::limit,
                            [](LoopOptions& o) {
                                o.start_phase = {1, 1'000'000'001};
                            }),
                    refused("TickBelowANanosecond", ErrorCode::limit,
                            [](LoopOptions& o) {
                                o.time_scale = {16'666'667, 1};
                            })),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(AccumulatorLoop, AcceptsATickOfJustOverANanosecond) {
    LoopOptions options;
    options.time_scale = {16'666'666, 1};
    EXPECT_TRUE(AccumulatorLoop::make(loop_rate(60), options));
}

}  // namespace
}  // namespace isotick::core
