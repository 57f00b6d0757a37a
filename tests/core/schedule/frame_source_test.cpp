#include "schedule_support.hpp"

#include <isotick/core/loop.hpp>

#include <utility>

namespace isotick::core {
namespace {

std::vector<std::int64_t> take(FrameSource& source, std::size_t count) {
    std::vector<std::int64_t> result;
    while (result.size() < count) {
        result.push_back(source.next().nanoseconds);
    }
    return result;
}

TEST(FrameSource, NominalEndsEachFrameAtTheFlooredTimeOfItsTick) {
    for (const char* each : {"60hz", "60000/1001hz", "1hz", "1/7hz", "1000000000hz", "7/3hz"}) {
        std::int64_t end = 0;
        FrameSource source = Schedule::nominal().frames(rate(each));
        for (std::uint64_t tick = 1; tick <= 10'000; ++tick) {
            end += source.next().nanoseconds;
            ASSERT_EQ(end, rate(each).time_of(tick)) << each << " tick " << tick;
        }
    }
}

TEST(FrameSource, NominalGivesOneTickPerFrame) {
    for (const char* each : {"60hz", "60000/1001hz", "144hz", "7/3hz", "1/2hz"}) {
        auto loop = AccumulatorLoop::make(rate(each)).value();
        FrameSource source = Schedule::nominal().frames(rate(each));
        for (int frame = 0; frame < 10'000; ++frame) {
            ASSERT_EQ(loop.advance(source.next()).ticks, 1U) << each << " frame " << frame;
        }
    }
}

TEST(FrameSource, NominalFollowsTheSessionAndARateDoesNot) {
    EXPECT_EQ(frames("nominal", 50, "50hz"), frames("50hz", 50, "60hz"));
    EXPECT_EQ(frames("jitter(nominal, 3ms)", 50, "50hz"), frames("jitter(50hz, 3ms)", 50, "60hz"));
}

TEST(FrameSource, SteadyItemsCountFromTheirOwnStart) {
    const auto drawn = frames("2x60hz, 5ms, 60hz", 6);
    EXPECT_EQ(drawn, (std::vector<std::int64_t>{16666666, 16666667, 5000000, 16666666, 16666667,
                                                16666667}));
}

TEST(FrameSource, RepeatsFrameForFrameAndSaysSo) {
    const Schedule ending = schedule("3ms, 20xjitter(60hz, 3ms), 50xmix(seed=1), 20xedges(60hz)");
    ASSERT_TRUE(ending.may_end());
    FrameSource source = ending.frames(rate());
    const auto first = take(source, 91);
    EXPECT_EQ(source.repeats(), 0U);
    EXPECT_EQ(take(source, 91), first);
    EXPECT_EQ(source.repeats(), 1U);
    EXPECT_EQ(source.next(), FrameTime{3'000'000});
    EXPECT_EQ(source.repeats(), 2U);
}

TEST(FrameSource, AnEndlessScheduleNeverRepeats) {
    const Schedule endless = schedule("3ms, jitter(60hz, 3ms)");
    EXPECT_FALSE(endless.may_end());
    FrameSource source = endless.frames(rate());
    take(source, 100'000);
    EXPECT_EQ(source.repeats(), 0U);
}

TEST(FrameSource, ACopyGoesOnAloneWhereItWasTaken) {
    FrameSource source = schedule("mix(seed=3)").frames(rate());
    take(source, 1000);
    FrameSource copy = source;
    const auto expected = take(source, 1000);
    EXPECT_EQ(take(copy, 1000), expected);
    FrameSource moved = std::move(copy);
    EXPECT_EQ(take(moved, 1000), take(source, 1000));
}

TEST(FrameSource, OutlivesItsSchedule) {
    FrameSource source = Schedule::parse("3ms, 4ms").value().frames(rate());
    EXPECT_EQ(take(source, 3), (std::vector<std::int64_t>{3000000, 4000000, 3000000}));
}

TEST(FrameSource, CountsTimeWithoutOverflow) {
    const auto drawn = frames("3x9223372036s, -9223372036s, 100xedges(60hz), 100xmix()", 204);
    EXPECT_EQ(drawn[3], -9'223'372'036'000'000'000);
}

}  // namespace
}  // namespace isotick::core
