// The loops of constant dt beside the accumulator, each by a case worked by hand.

#include "loops_support.hpp"

namespace isotick::core {
namespace {

using Alphas = std::vector<double>;

TEST(FixedLoop, HasOneTickInEveryFrame) {
    EXPECT_EQ(ticks_of("fixed", {10, 0, -3, 1000}), (Counts{1, 1, 1, 1}));
}

TEST(FixedLoop, WaitsForItsFrameRate) {
    Loop loop = loop_of("fixed(shortest-frame=10ms)");
    EXPECT_EQ(advance_ms(loop, 3).wait, FrameTime{7 * kMillisecond});
    EXPECT_EQ(advance_ms(loop, 12).wait, FrameTime{0});
}

// Defaisse: "your render function took 88 ms and your physics frame is fixed to 10 ms then you wait
// 2 ms and calculate the number of physics frames to do".
TEST(WholeTicksLoop, WaitsForARoundNumberOfTicks) {
    Loop loop = loop_of("whole-ticks");
    const HostFrame frame = advance_ms(loop, 88);
    EXPECT_EQ(frame.wait, FrameTime{2 * kMillisecond});
    EXPECT_EQ(frame.plan.ticks, 9U);
    EXPECT_EQ(frame.plan.alpha, 0.0);
}

TEST(WholeTicksLoop, DoesNotWaitWhereTheFrameIsRound) {
    Loop loop = loop_of("whole-ticks");
    for (const std::int64_t frame_ms : {10, 0, -1, 30}) {
        EXPECT_EQ(advance_ms(loop, frame_ms).wait, FrameTime{0});
    }
    Loop nominal = loop_of("whole-ticks", "60hz");
    const TickRate rate;
    for (std::uint64_t tick = 0; tick < 1000; ++tick) {
        const HostFrame frame = nominal.advance({rate.time_of(tick + 1) - rate.time_of(tick)});
        ASSERT_EQ(frame.plan.ticks, 1U) << tick;
        ASSERT_EQ(frame.wait, FrameTime{0}) << tick;
    }
}

TEST(WholeTicksLoop, GivesUpTicksBeyondTheMost) {
    Loop loop = loop_of("whole-ticks(most-ticks=3)");
    const HostFrame frame = advance_ms(loop, 88);
    EXPECT_EQ(frame.plan.ticks, 3U);
    EXPECT_EQ(frame.plan.given_up, 6U);
}

// Stolk: a display period is taken for a multiple of 4.8537 ms.
TEST(SubstepsLoop, TakesTheNearestMultipleOfTheGoldenStep) {
    constexpr std::string_view kGolden = "10000000/48537hz";
    EXPECT_EQ(loop_of("substeps(display=30hz)", kGolden).advance({}).plan.ticks, 7U);
    EXPECT_EQ(loop_of("substeps(display=60hz)", kGolden).advance({}).plan.ticks, 3U);
    EXPECT_EQ(loop_of("substeps(display=144hz)", kGolden).advance({}).plan.ticks, 1U);
    EXPECT_EQ(loop_of("substeps", kGolden).advance({33 * kMillisecond}).plan.ticks, 7U);
}

TEST(SubstepsLoop, RoundsEachMeasuredFrame) {
    EXPECT_EQ(ticks_of("substeps", {14, 15, 24, 1, 0, -20}), (Counts{1, 2, 2, 1, 0, 0}));
}

TEST(SubstepsLoop, KeepsToItsLimits) {
    EXPECT_EQ(ticks_of("substeps(longest-frame=30ms)", {400}), Counts{3});
    EXPECT_EQ(ticks_of("substeps(display=10hz, most-ticks=4)", {1}), Counts{4});
}

// Gurki, with past states in place of negative steps.
TEST(ReversibleLoop, GoesBackThroughTheTicksThatWere) {
    Loop loop = loop_of("reversible");
    EXPECT_EQ(advance_ms(loop, 35).plan.ticks, 3U);
    const HostFrame back = advance_ms(loop, -20);
    EXPECT_EQ(back.back, 2U);
    EXPECT_EQ(back.plan.ticks, 0U);
    EXPECT_EQ(back.plan.alpha, 0.5);
    const HostFrame within = advance_ms(loop, -2);
    EXPECT_EQ(within.back, 0U);
    EXPECT_DOUBLE_EQ(within.plan.alpha, 0.3);
    EXPECT_EQ(advance_ms(loop, 17).plan.ticks, 2U);
}

TEST(ReversibleLoop, StopsAtTheBeginning) {
    Loop loop = loop_of("reversible");
    (void)advance_ms(loop, 25);
    const HostFrame back = advance_ms(loop, -100);
    EXPECT_EQ(back.back, 2U);
    EXPECT_EQ(back.plan.cut, FrameTime{75 * kMillisecond});
    EXPECT_EQ(advance_ms(loop, 10).plan.ticks, 1U);
    EXPECT_EQ(loop.advance({-kLargest - 1}).plan.cut, FrameTime{kLargest - 10 * kMillisecond + 1});
}

TEST(ReversibleLoop, IsTheAccumulatorWhereTimeGoesForward) {
    EXPECT_EQ(ticks_of("reversible(start-phase=1/1)", {3, 17, 300, 9}),
              ticks_of("accumulator(start-phase=1/1)", {3, 17, 300, 9}));
}

// dTime is 1000 / 60 = 16 in whole numbers: 62.5 ticks a second.
TEST(MillisecondLoop, RunsFastWhereATickIsNoWholeNumber) {
    Loop loop = loop_of("milliseconds(longest-frame=none)", "60hz");
    EXPECT_EQ(advance_ms(loop, 1000).plan.ticks, 62U);
    EXPECT_EQ(loop_of("milliseconds(longest-frame=none)", "50hz")
                  .advance({1000 * kMillisecond})
                  .plan.ticks,
              50U);
}

TEST(MillisecondLoop, SeesWholeMillisecondsOfTheClock) {
    Loop loop = loop_of("milliseconds");
    EXPECT_EQ(loop.advance({9'999'999}).plan.alpha, 0.9);
    EXPECT_EQ(loop.advance({1}).plan.ticks, 1U);
}

TEST(MillisecondLoop, CutsALongFrame) {
    Loop loop = loop_of("milliseconds(longest-frame=1s)");
    const HostFrame frame = advance_ms(loop, 1250);
    EXPECT_EQ(frame.plan.ticks, 100U);
    EXPECT_EQ(frame.plan.cut, FrameTime{250 * kMillisecond});
}

TEST(MillisecondLoop, RefusesATickShorterThanItsClock) {
    EXPECT_EQ(refusal(options_of("milliseconds"), "1001hz"),
              "the loop milliseconds takes at most 1000 ticks per second");
}

TEST(DoubleAccumulator, CutsAtAQuarterSecondAndKeepsTheRest) {
    EXPECT_EQ(ticks_of("accumulator-double", {17, 17}), (Counts{1, 2}));
    Loop loop = loop_of("accumulator-double", "8hz");  // a tick of 0.125 s is exact
    const HostFrame frame = advance_ms(loop, 300);
    EXPECT_EQ(frame.plan.ticks, 2U);
    EXPECT_EQ(frame.plan.cut, FrameTime{50 * kMillisecond});
    EXPECT_EQ(frame.plan.alpha, 0.0);
}

// The article's own numbers: 0.01 is not representable, and ten times it is not 0.1.
TEST(DoubleAccumulator, LosesTicksThatTheExactOneHas) {
    Loop rounded = loop_of("accumulator-double(longest-frame=none)");
    Loop exact = loop_of("accumulator(longest-frame=none)");
    std::uint64_t missing_frames = 0;
    std::int64_t ahead = 0;
    for (int i = 0; i < 10'000; ++i) {
        ahead += static_cast<std::int64_t>(advance_ms(exact, 10).plan.ticks) -
                 static_cast<std::int64_t>(advance_ms(rounded, 10).plan.ticks);
        missing_frames += ahead != 0 ? 1 : 0;
    }
    EXPECT_GT(missing_frames, 0U);
    EXPECT_LE(ahead, 1);
}

TEST(DoubleAccumulator, StartsWithATick) {
    EXPECT_EQ(ticks_of("accumulator-double(start-phase=1/1)", {0, 5}), (Counts{1, 0}));
}

TEST(DoubleAccumulator, GivesUpTicksBeyondTheMost) {
    Loop loop = loop_of("accumulator-double(most-ticks=3)", "8hz");
    EXPECT_EQ(advance_ms(loop, 250).plan.ticks, 2U);
    Loop unlimited = loop_of("accumulator-double(longest-frame=none, most-ticks=3)", "8hz");
    const HostFrame frame = advance_ms(unlimited, 1000);
    EXPECT_EQ(frame.plan.ticks, 3U);
    EXPECT_EQ(frame.plan.given_up, 5U);
}

TEST(DoubleClock, CatchesUpWithTheClock) {
    Loop loop = loop_of("clock-double", "8hz");
    EXPECT_EQ(advance_ms(loop, 300).plan.ticks, 2U);
    EXPECT_EQ(advance_ms(loop, 75).plan.ticks, 1U);
    EXPECT_EQ(advance_ms(loop, -75).plan.ticks, 0U);
    EXPECT_EQ(advance_ms(loop, 1000).plan.ticks, 8U);
}

// "Initializing the fractional turn to 1 on startup forces an update the first frame."
TEST(TurnsLoop, StepsInTheFirstFrame) {
    Loop loop = loop_of("turns", "8hz");
    const HostFrame frame = loop.advance({15'625'000});  // an eighth of a turn
    EXPECT_EQ(frame.plan.ticks, 1U);
    EXPECT_EQ(frame.plan.alpha, 0.125);
    EXPECT_EQ(advance_ms(loop, 1000).plan.ticks, 8U);
}

TEST(DoubleLoops, TakeHugeFrames) {
    for (const char* text : {"accumulator-double(longest-frame=none)", "clock-double", "turns"}) {
        Loop loop = loop_of(text, "1000000000hz");
        const HostFrame frame = loop.advance({kLargest});
        EXPECT_NEAR(static_cast<double>(frame.plan.ticks), 9.223372036854775807e18, 1e10) << text;
        EXPECT_TRUE(frame.plan.alpha >= 0 && frame.plan.alpha < 1) << text;
    }
}

}  // namespace
}  // namespace isotick::core
