#include "schedule_support.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace isotick::core {
namespace {

class RandomScheduleAt : public testing::TestWithParam<const char*> {};

TEST_P(RandomScheduleAt, OffersEveryKindWithinAHundredSeeds) {
    std::set<FrameKind> kinds;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        kinds.insert(first_item(random_schedule(seed, rate(GetParam()))).kind);
    }
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(FrameKind::mix));
}

TEST_P(RandomScheduleAt, ReadsBackAndNeverEnds) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const Schedule drawn = random_schedule(seed, rate(GetParam()));
        ASSERT_EQ(schedule(drawn.to_string()), drawn);
        ASSERT_FALSE(drawn.may_end());
        ASSERT_EQ(drawn.to_string().find("nominal"), std::string::npos);
    }
}

/// Frames that a session of 3600 ticks takes; gives up beyond the promised 50 a tick. A longest
/// run without a tick of more than 20,000 frames is a failure too.
std::uint64_t frames_for_a_minute(const Schedule& drawn, TickRate session) {
    auto loop = AccumulatorLoop::make(session).value();
    FrameSource source = drawn.frames(session);
    std::uint64_t frames = 0;
    std::uint64_t last_tick = 0;
    for (std::uint64_t ticks = 0; ticks < 3600 && frames <= 50 * 3600; ++frames) {
        const std::uint64_t taken = loop.advance(source.next()).ticks;
        ticks += taken;
        last_tick = taken > 0 ? frames : last_tick;
        EXPECT_LE(frames - last_tick, 20'000U);
    }
    return frames;
}

TEST_P(RandomScheduleAt, MakesProgressInFewFrames) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Schedule drawn = random_schedule(seed, rate(GetParam()));
        ASSERT_LE(frames_for_a_minute(drawn, rate(GetParam())), 50U * 3600) << drawn.to_string();
    }
}

/// What a loop that goes back did up to tick 3600.
struct WentBack {
    std::uint64_t times = 0;
    std::uint64_t deepest_of_first = 0;  ///< ticks, among the first 200 steps
    std::uint64_t steps = 0;
    std::uint64_t frames = 0;
};

WentBack go_back_and_forth(const Schedule& drawn, TickRate session) {
    auto loop = Loop::make(session, {.kind = LoopKind::reversible}).value();
    FrameSource source = drawn.frames(session);
    WentBack went;
    std::uint64_t back_in_a_row = 0;
    for (std::uint64_t ticks = 0; ticks < 3600 && went.frames <= 100 * 3600; ++went.frames) {
        const HostFrame frame = loop.advance(source.next());
        went.times += frame.back > 0 ? 1 : 0;
        back_in_a_row = frame.plan.ticks > 0 ? 0 : back_in_a_row + frame.back;
        if (went.steps <= 200) {
            went.deepest_of_first = std::max(went.deepest_of_first, back_in_a_row);
        }
        ticks += frame.plan.ticks - frame.back;
        went.steps += frame.plan.ticks;
    }
    return went;
}

TEST_P(RandomScheduleAt, GoesBackForRealWhereItIsToReverse) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const TickRate session = rate(GetParam());
        const Schedule drawn = random_reversing_schedule(seed, session);
        ASSERT_EQ(schedule(drawn.to_string()), drawn);
        const WentBack went = go_back_and_forth(drawn, session);
        ASSERT_GE(went.deepest_of_first, 7U) << drawn.to_string();
        ASSERT_GE(went.times, 20U) << drawn.to_string();
        ASSERT_LE(went.steps, 4U * 3600) << drawn.to_string();
        ASSERT_LE(went.frames, 100U * 3600) << drawn.to_string();
    }
}

/// The rate as a part of a test's name.
std::string rate_name(const testing::TestParamInfo<const char*>& test) {
    std::string name(test.param);
    std::ranges::replace(name, '/', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Rates, RandomScheduleAt,
                         testing::Values("60hz", "60000/1001hz", "20hz", "1hz", "1/1000hz",
                                         "1000hz", "1000000hz", "999999937/7919hz"),
                         rate_name);

TEST(RandomSchedule, CoversSteadyRatesFromFilmToUncapped) {
    std::set<std::string> rates;
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
        const Schedule drawn = random_schedule(seed, rate());
        if (drawn.items()[0].kind == FrameKind::steady) {
            rates.insert(drawn.to_string());
        }
    }
    for (const char* each :
         {"24hz", "24000/1001hz", "60000/1001hz", "59hz", "144hz", "1000hz", "3003/50hz"}) {
        EXPECT_TRUE(rates.contains(each)) << each;
    }
    EXPECT_GT(rates.size(), 100U);
}

TEST(RandomSchedule, DependsOnItsArgumentsAlone) {
    EXPECT_EQ(random_schedule(7, rate()), random_schedule(7, rate()));
    EXPECT_NE(random_schedule(7, rate()), random_schedule(8, rate()));
    EXPECT_EQ(random_reversing_schedule(7, rate()), random_reversing_schedule(7, rate()));
    EXPECT_NE(random_reversing_schedule(7, rate()), random_reversing_schedule(8, rate()));
}

}  // namespace
}  // namespace isotick::core
