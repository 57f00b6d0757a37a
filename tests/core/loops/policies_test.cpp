// What may be chosen about the accumulator, each by a case worked by hand. A tick lasts 10 ms.

#include "loops_support.hpp"

namespace isotick::core {
namespace {

using Alphas = std::vector<double>;

TEST(Loop, IsTheAccumulatorLoopByDefault) {
    Loop loop = Loop::make(TickRate()).value();
    AccumulatorLoop accumulator = AccumulatorLoop::make(TickRate()).value();
    for (const std::int64_t frame_ms : {16, 17, 0, -5, 300, 8}) {
        const FramePlan plan = accumulator.advance({frame_ms * kMillisecond});
        const HostFrame frame = advance_ms(loop, frame_ms);
        EXPECT_EQ(frame.plan.ticks, plan.ticks);
        EXPECT_EQ(frame.plan.alpha, plan.alpha);
        EXPECT_EQ(frame.plan.cut, plan.cut);
        EXPECT_TRUE(frame.renders);
        EXPECT_FALSE(frame.dt);
    }
}

TEST(Loop, CopiesItsPhase) {
    for (const LoopInfo& info : loops()) {
        Loop loop = loop_of(info.name);
        (void)loop.advance({7 * kMillisecond});
        Loop copy = loop;
        for (const std::int64_t frame_ms : {5, 8, 31}) {
            EXPECT_EQ(advance_ms(loop, frame_ms).plan.ticks, advance_ms(copy, frame_ms).plan.ticks)
                << info.name;
        }
    }
}

TEST(ThreadedLoop, HasTheTicksOfTheAccumulator) {
    EXPECT_EQ(ticks_of("threaded", {17, 17, 300}), ticks_of("accumulator", {17, 17, 300}));
}

// The comment's loop: `while (time() - simTime >= dt) simTime += dt`.
TEST(ClockLoop, HasTheTicksOfAnAccumulatorThatCutsNothing) {
    EXPECT_EQ(ticks_of("clock", {17, 17, 1000, 6}), (Counts{1, 2, 100, 1}));
}

TEST(KeptDebt, IsWorkedOffWithinTheLimits) {
    Loop loop = loop_of("accumulator(most-ticks=2, debt=kept)");
    const HostFrame hitch = advance_ms(loop, 55);
    EXPECT_EQ(hitch.plan.ticks, 2U);
    EXPECT_EQ(hitch.plan.given_up, 0U);
    // Fed up to a nanosecond before the third tick.
    EXPECT_EQ(hitch.owed, FrameTime{25 * kMillisecond + 1});
    EXPECT_EQ(advance_ms(loop, 10).plan.ticks, 2U);
    EXPECT_EQ(advance_ms(loop, 10).plan.ticks, 2U);
    const HostFrame last = advance_ms(loop, 10);
    EXPECT_EQ(last.plan.ticks, 2U);
    EXPECT_EQ(last.owed, FrameTime{0});
    EXPECT_DOUBLE_EQ(last.plan.alpha, 0.5);
}

// Ralph: `currentTime += 0.25` in place of `currentTime = newTime`.
TEST(KeptDebt, KeepsWhatALongFrameWouldLose) {
    Loop loop = loop_of("accumulator(debt=kept)");
    EXPECT_EQ(advance_ms(loop, 600).plan.ticks, 25U);
    EXPECT_EQ(advance_ms(loop, 10).plan.ticks, 25U);
    const HostFrame last = advance_ms(loop, 10);
    EXPECT_EQ(last.plan.ticks, 12U);
    EXPECT_EQ(last.plan.cut, FrameTime{0});
}

// brighthead: `if (accumulator > 5 * dt) accumulator = dt`.
TEST(ResetDebt, LeavesOneTickAndNoRest) {
    EXPECT_EQ(ticks_of("accumulator(most-ticks=5, debt=reset)", {4, 50, 10}), (Counts{0, 1, 1}));
    EXPECT_EQ(alphas_of("accumulator(most-ticks=5, debt=reset)", {4, 50, 12}),
              (Alphas{0.4, 0.0, 0.2}));
}

TEST(ResetDebt, DoesNothingUpToTheLimit) {
    EXPECT_EQ(ticks_of("accumulator(most-ticks=5, debt=reset)", {50, 4, 46}), (Counts{5, 0, 5}));
}

TEST(CanonicalLoop, ResetsWhatIsAboveTheLongestFrame) {
    Loop loop = loop_of("canonical(longest-frame=50ms)");
    EXPECT_EQ(advance_ms(loop, 48).plan.ticks, 4U);
    const HostFrame hitch = advance_ms(loop, 43);  // 8 + 43 > 50
    EXPECT_EQ(hitch.plan.ticks, 1U);
    EXPECT_EQ(hitch.plan.alpha, 0.0);
    EXPECT_EQ(hitch.plan.cut, FrameTime{41 * kMillisecond});
    EXPECT_EQ(advance_ms(loop, 10).plan.ticks, 1U);
}

TEST(CanonicalLoop, RendersOnlyWhereItStepped) {
    Loop loop = loop_of("canonical(render=stepped)");
    EXPECT_FALSE(advance_ms(loop, 6).renders);
    EXPECT_TRUE(advance_ms(loop, 6).renders);
}

TEST(View, CurrentHasNoAlpha) {
    EXPECT_EQ(alphas_of("canonical(view=current)", {5, 7}), (Alphas{0, 0}));
    EXPECT_EQ(alphas_of("canonical(view=extrapolate)", {5, 6}), (Alphas{0.5, 0.1}));
}

TEST(RepaidTime, ComesBackBeforeItCounts) {
    EXPECT_EQ(ticks_of("accumulator(negative=repaid)", {10, -15, 10, 10, 5}),
              (Counts{1, 0, 0, 0, 1}));
    EXPECT_EQ(ticks_of("accumulator", {10, -15, 10, 10, 5}), (Counts{1, 0, 1, 1, 0}));
}

// Zarkow: at 25 %, "run an actual tick every 4 attempted ticks".
TEST(EveryNthTick, RunsOneInN) {
    EXPECT_EQ(ticks_of("accumulator(every=4)", {10, 10, 10, 10, 80, 5}),
              (Counts{0, 0, 0, 1, 2, 0}));
    EXPECT_EQ(alphas_of("accumulator(every=4)", {10, 15, 15}), (Alphas{0.25, 0.625, 0.0}));
}

TEST(EveryNthTick, LimitsTheTicksThatAreRun) {
    Loop loop = loop_of("accumulator(every=2, most-ticks=3)");
    const HostFrame frame = advance_ms(loop, 95);
    EXPECT_EQ(frame.plan.ticks, 3U);
    EXPECT_EQ(frame.plan.given_up, 1U);
    EXPECT_DOUBLE_EQ(frame.plan.alpha, 0.75);
}

// From 1 to 1/2 in 100 ms: 75 ms of scaled time, then half of what passes.
TEST(Ramp, SlowsDownSmoothly) {
    EXPECT_EQ(ticks_of("accumulator(ramp=1/2 over 100ms)", {100, 20}), (Counts{7, 1}));
    EXPECT_EQ(alphas_of("accumulator(ramp=1/2 over 100ms)", {100, 20, 20}),
              (Alphas{0.5, 0.5, 0.5}));
}

TEST(Ramp, IsLinear) {
    Loop loop = loop_of("accumulator(ramp=0/1 over 1s, longest-frame=none)");
    const HostFrame half = advance_ms(loop, 500);  // 500 ms − 1/8 s
    EXPECT_EQ(half.plan.ticks, 37U);
    EXPECT_DOUBLE_EQ(half.plan.alpha, 0.5);
}

TEST(Ramp, DoesNotDependOnHowTimeIsDivided) {
    Loop whole = loop_of("accumulator(time-scale=1/3, ramp=2/1 over 777ms)");
    Loop divided = whole;
    std::uint64_t ticks = 0;
    for (int i = 0; i < 240; ++i) {
        ticks += advance_ms(divided, 1).plan.ticks;
    }
    EXPECT_EQ(advance_ms(whole, 240).plan.ticks, ticks);
    EXPECT_TRUE(whole.accumulator()->held() == divided.accumulator()->held());
}

TEST(Ramp, ComesToAStandstill) {
    Loop loop = loop_of("accumulator(ramp=0/1 over 1s, longest-frame=none)");
    EXPECT_EQ(advance_ms(loop, 1000).plan.ticks, 50U);
    EXPECT_EQ(loop.advance({kLargest}).plan.ticks, 0U);
}

TEST(ShortestFrame, IsWaitedForAndCounts) {
    Loop loop = loop_of("accumulator(shortest-frame=10ms)");
    const HostFrame frame = advance_ms(loop, 4);
    EXPECT_EQ(frame.wait, FrameTime{6 * kMillisecond});
    EXPECT_EQ(frame.plan.ticks, 1U);
    EXPECT_EQ(advance_ms(loop, 11).wait, FrameTime{0});
}

TEST(ReadingTheClockAgain, MovesAlphaButNoTick) {
    EXPECT_EQ(alphas_of("accumulator(reread=2ms)", {15, 5}), (Alphas{0.7, 0.2}));
    EXPECT_EQ(ticks_of("accumulator(reread=2ms)", {9, 1, 9}), (Counts{0, 1, 0}));
}

TEST(ReadingTheClockAgain, KeepsAlphaBelowOne) {
    Loop loop = loop_of("accumulator");
    (void)advance_ms(loop, 15);
    EXPECT_DOUBLE_EQ(loop.alpha_after({3 * kMillisecond}), 0.8);
    for (const std::int64_t later : {5 * kMillisecond, kLargest}) {
        EXPECT_LT(loop.alpha_after({later}), 1.0);
        EXPECT_GT(loop.alpha_after({later}), 0.999);
    }
}

}  // namespace
}  // namespace isotick::core
