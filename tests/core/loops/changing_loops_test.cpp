// The loops of changing dt, each by a case worked by hand. The lengths are exact fractions.

#include "loops_support.hpp"

namespace isotick::core {
namespace {

ChangingDt both(Fraction length) {
    return {length, length};
}

TEST(VariableLoop, HasOneStepOfTheFramesLength) {
    Loop loop = loop_of("variable");
    const HostFrame frame = advance_ms(loop, 17);
    EXPECT_EQ(frame.plan.ticks, 1U);
    EXPECT_EQ(frame.dt, both({17, 1000}));
}

TEST(VariableLoop, HasNoStepOfNoTime) {
    Loop loop = loop_of("variable");
    for (const std::int64_t frame_ms : {0, -5}) {
        const HostFrame frame = advance_ms(loop, frame_ms);
        EXPECT_EQ(frame.plan.ticks, 0U);
        EXPECT_FALSE(frame.dt);
    }
}

TEST(VariableLoop, ScalesItsStep) {
    EXPECT_EQ(loop_of("variable(time-scale=1/4)").advance({20 * kMillisecond}).dt, both({1, 200}));
    EXPECT_FALSE(loop_of("variable(time-scale=0/1)").advance({20 * kMillisecond}).dt);
}

TEST(VariableLoop, CutsALongFrame) {
    Loop loop = loop_of("variable(longest-frame=100ms)");
    const HostFrame frame = advance_ms(loop, 350);
    EXPECT_EQ(frame.dt, both({1, 10}));
    EXPECT_EQ(frame.plan.cut, FrameTime{250 * kMillisecond});
}

TEST(SemiFixedLoop, StepsTicksAndThenTheRest) {
    Loop loop = loop_of("semi-fixed");
    const HostFrame frame = advance_ms(loop, 25);
    EXPECT_EQ(frame.plan.ticks, 3U);
    EXPECT_EQ(frame.dt, (ChangingDt{{1, 100}, {1, 200}}));
    EXPECT_EQ(advance_ms(loop, 20).plan.ticks, 2U);
    EXPECT_EQ(advance_ms(loop, 4).dt, both({1, 250}));
}

// A sixtieth is no whole number of nanoseconds, and the step is one all the same.
TEST(SemiFixedLoop, StepsExactTicks) {
    const HostFrame frame = loop_of("semi-fixed", "60hz").advance({16'666'667});
    EXPECT_EQ(frame.plan.ticks, 2U);
    EXPECT_EQ(frame.dt, (ChangingDt{{1, 60}, {1, 3'000'000'000}}));
}

// starwed: `steps = ceiling(frameTime / maxdt); dt = frameTime / steps`.
TEST(SemiFixedLoop, DividesEvenly) {
    Loop loop = loop_of("semi-fixed(split=even)");
    const HostFrame frame = advance_ms(loop, 25);
    EXPECT_EQ(frame.plan.ticks, 3U);
    EXPECT_EQ(frame.dt, both({1, 120}));
    EXPECT_EQ(advance_ms(loop, 20).plan.ticks, 2U);
}

TEST(SemiFixedLoop, HasALongestStepOfItsOwn) {
    Loop loop = loop_of("semi-fixed(most=7ms)");
    const HostFrame frame = advance_ms(loop, 16);
    EXPECT_EQ(frame.plan.ticks, 3U);
    EXPECT_EQ(frame.dt, (ChangingDt{{7, 1000}, {1, 500}}));
}

TEST(SemiFixedLoop, CutsWhatWouldBeMoreThanTheMostTicks) {
    Loop loop = loop_of("semi-fixed(most-ticks=2)");
    const HostFrame frame = advance_ms(loop, 35);
    EXPECT_EQ(frame.plan.ticks, 2U);
    EXPECT_EQ(frame.plan.cut, FrameTime{15 * kMillisecond});
}

// Zach: "stockpile time less than the lower bound, and run potentially multiple updates if greater
// than the upper bound", between 12 and 20 ms.
TEST(RangedLoop, StockpilesWhatIsTooShort) {
    Loop loop = loop_of("ranged");
    EXPECT_EQ(advance_ms(loop, 7).plan.ticks, 0U);
    EXPECT_EQ(loop.stockpile(), (Fraction{7, 1000}));
    EXPECT_EQ(advance_ms(loop, 6).dt, both({13, 1000}));
    EXPECT_EQ(loop.stockpile(), (Fraction{0, 1}));
}

TEST(RangedLoop, DividesWhatIsTooLong) {
    Loop loop = loop_of("ranged");
    const HostFrame divided = advance_ms(loop, 35);
    EXPECT_EQ(divided.plan.ticks, 2U);
    EXPECT_EQ(divided.dt, (ChangingDt{{1, 50}, {3, 200}}));
    const HostFrame kept = advance_ms(loop, 45);  // 20, 20, and 5 for later
    EXPECT_EQ(kept.plan.ticks, 2U);
    EXPECT_EQ(kept.dt, both({1, 50}));
    EXPECT_EQ(loop.stockpile(), (Fraction{1, 200}));
}

TEST(RangedLoop, CountsItsStockpileAmongTheMostTicks) {
    Loop loop = loop_of("ranged(most-ticks=2)");
    (void)advance_ms(loop, 11);
    const HostFrame frame = advance_ms(loop, 40);
    EXPECT_EQ(frame.plan.ticks, 2U);
    EXPECT_EQ(frame.plan.cut, FrameTime{11 * kMillisecond});
}

TEST(RangedLoop, RefusesAnEmptyRange) {
    EXPECT_EQ(refusal(options_of("ranged(least=21ms)")),
              "the loop's least dt must not be above its most");
}

TEST(GrowingLoop, DoublesItsStepWhileTooManyAreDue) {
    Loop loop = loop_of("growing(steps=3)");
    const HostFrame usual = advance_ms(loop, 30);
    EXPECT_EQ(usual.plan.ticks, 3U);
    EXPECT_EQ(usual.dt, both({1, 100}));
    const HostFrame slow = advance_ms(loop, 55);  // 5 ticks: 2 of double length, one is left
    EXPECT_EQ(slow.plan.ticks, 2U);
    EXPECT_EQ(slow.dt, both({1, 50}));
    EXPECT_DOUBLE_EQ(slow.plan.alpha, 0.75);
    const HostFrame again = advance_ms(loop, 10);  // the one left, and the next
    EXPECT_EQ(again.plan.ticks, 2U);
    EXPECT_EQ(again.dt, both({1, 100}));
}

TEST(GrowingLoop, GrowsNoFurtherThanTheMost) {
    Loop loop = loop_of("growing(steps=1, most=50ms)");
    const HostFrame frame = advance_ms(loop, 200);
    EXPECT_EQ(frame.dt, both({1, 25}));
    EXPECT_EQ(frame.plan.ticks, 5U);
}

TEST(ChangingLoops, RefuseWhatNeedsMoreThan64Bits) {
    const char* const kMessage =
        "a step's exact length could need more than 64 bits; choose a time scale of smaller terms, "
        "or a shorter longest frame";
    EXPECT_EQ(refusal(options_of("variable(longest-frame=none, time-scale=3/1)")), kMessage);
    EXPECT_EQ(refusal(options_of("semi-fixed(time-scale=1/999999937)")), kMessage);
    EXPECT_EQ(refusal(options_of("semi-fixed(longest-frame=none, split=even)")), kMessage);
    EXPECT_EQ(refusal(options_of("variable(longest-frame=none)")), "none");
}

TEST(ChangingLoops, TakeTheLongestFrame) {
    const HostFrame frame = loop_of("variable(longest-frame=none)").advance({kLargest});
    EXPECT_EQ(frame.dt, both({9'223'372'036'854'775'807, 1'000'000'000}));
    EXPECT_EQ(loop_of("semi-fixed(longest-frame=none)").advance({kLargest}).plan.ticks,
              922'337'203'686U);
}

}  // namespace
}  // namespace isotick::core
