// What each generator promises, over long stretches. Seeds are fixed, so exact counts are too.

#include "schedule_support.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

namespace isotick::core {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

bool is_steady(std::int64_t frame) {
    return frame == 16'666'666 || frame == 16'666'667;
}

/// Ticks of 60 hz in `time`, where it is a whole number of them to a nanosecond; else 0.
std::int64_t whole_ticks(std::int64_t time) {
    const std::int64_t ticks = (time * 60 + 500'000'000) / 1'000'000'000;
    return std::abs(time - rate().time_of(static_cast<std::uint64_t>(ticks))) <= 1 ? ticks : 0;
}

TEST(Jitter, StaysWithinItsSpreadAndUsesAllOfIt) {
    const auto drawn = frames("jitter(60hz, 3ms, seed=7)", 100'000);
    const auto [least, most] = std::ranges::minmax(drawn);
    EXPECT_GE(least, 16'666'666 - 3 * kMillisecond);
    EXPECT_LE(most, 16'666'667 + 3 * kMillisecond);
    EXPECT_LT(least, 16'666'666 - 2'999'000);
    EXPECT_GT(most, 16'666'667 + 2'999'000);
}

TEST(Jitter, WiderThanAFrameNeverGoesBelowZero) {
    const auto drawn = frames("jitter(60hz, 50ms)", 10'000);
    EXPECT_EQ(std::ranges::min(drawn), 0);
}

TEST(Jitter, OfNothingIsSteady) {
    EXPECT_EQ(frames("jitter(60hz, 0ms, seed=7)", 1000), frames("60hz", 1000));
}

TEST(Vsync, MissesItsShareByWholeRefreshes) {
    std::array<int, 5> counts{};
    for (const std::int64_t frame : frames("vsync(60hz, miss=10%, seed=1)", 100'000)) {
        const std::int64_t refreshes = whole_ticks(frame);
        ASSERT_TRUE(refreshes >= 1 && refreshes <= 4) << frame;
        ++counts[static_cast<std::size_t>(refreshes)];
    }
    EXPECT_EQ(counts, (std::array<int, 5>{0, 90062, 3313, 3257, 3368}));
}

TEST(Vsync, EndsOnFlooredRefreshes) {
    std::int64_t end = 0;
    for (const std::int64_t frame : frames("vsync(60hz, miss=50%, seed=1)", 10'000)) {
        end += frame;
        const auto refresh = static_cast<std::uint64_t>((end * 60 + 999'999'999) / 1'000'000'000);
        ASSERT_EQ(end, rate().time_of(refresh));
    }
}

TEST(Bimodal, HasItsShareOfRareFrames) {
    const auto drawn = frames("bimodal(4ms, 30ms, 25%, seed=3)", 100'000);
    EXPECT_EQ(std::ranges::count(drawn, 30 * kMillisecond), 25'011);
    EXPECT_EQ(std::ranges::count(drawn, 4 * kMillisecond), 74'989);
}

TEST(Bimodal, SharesOfNoneAndAllAreExact) {
    EXPECT_EQ(std::ranges::count(frames("bimodal(4ms, 30ms, 0%)", 1000), 4 * kMillisecond), 1000);
    EXPECT_EQ(std::ranges::count(frames("bimodal(4ms, 30ms, 100%)", 1000), 30 * kMillisecond),
              1000);
}

TEST(Hitches, ComeOncePerRunAndReachManySeconds) {
    const auto drawn = frames("hitches(60hz, 20s, every=200, seed=5)", 200'000);
    for (auto run = drawn.begin(); run != drawn.end(); run += 200) {
        ASSERT_EQ(std::count_if(run, run + 200, is_steady), 199);
        const std::int64_t hitch = *std::find_if_not(run, run + 200, is_steady);
        ASSERT_GE(hitch, 2'016'666'666);
        ASSERT_LE(hitch, 20'016'666'667);
    }
    EXPECT_GT(std::ranges::max(drawn), 19'000'000'000);
}

TEST(Hitches, StandAtVaryingPlaces) {
    const auto drawn = frames("hitches(60hz, 1s, every=10, seed=5)", 10'000);
    std::array<int, 10> places{};
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        places[i % 10] += is_steady(drawn[i]) ? 0 : 1;
    }
    EXPECT_GT(std::ranges::min(places), 70);
}

TEST(Quantised, IsTheDifferenceOfFlooredTimes) {
    for (const std::int64_t clock : {std::int64_t{1}, kMillisecond, std::int64_t{15'625'000}}) {
        const std::string text = "quantised(60000/1001hz, " + std::to_string(clock) + "ns)";
        const auto drawn = frames(text, 10'000);
        std::int64_t reading = 0;
        for (std::size_t k = 0; k < drawn.size(); ++k) {
            const std::int64_t next = rate("60000/1001hz").time_of(k + 1) / clock * clock;
            ASSERT_EQ(drawn[k], next - reading) << text << " frame " << k;
            reading = next;
        }
    }
}

TEST(Stuck, HasItsShareOfZerosAndLosesNoTime) {
    const auto drawn = frames("stuck(60hz, 30%, seed=2)", 100'000);
    EXPECT_EQ(std::ranges::count(drawn, 0), 29'864);
    const std::int64_t total = std::accumulate(drawn.begin(), drawn.end(), std::int64_t{0});
    EXPECT_GE(total, rate().time_of(100'000 - 100));
    EXPECT_LE(total, rate().time_of(100'000));
}

TEST(Stuck, MovesOnAfterAHundredFramesWhateverItsShare) {
    const auto drawn = frames("stuck(60hz, 100%)", 1010);
    EXPECT_EQ(std::ranges::count(drawn, 0), 1000);
    EXPECT_EQ(drawn[100], rate().time_of(101));
}

TEST(Backwards, HasItsShareOfNegativeFrames) {
    const auto drawn = frames("backwards(60hz, 5%, 3ms, seed=6)", 100'000);
    const auto negative = std::ranges::count_if(drawn, [](auto frame) { return frame < 0; });
    EXPECT_EQ(negative, 5'022);
    EXPECT_EQ(std::ranges::count_if(drawn, is_steady), 94'978);
    EXPECT_GE(std::ranges::min(drawn), -3 * kMillisecond);
}

TEST(Burst, ComesOncePerRunOfSteadyFrames) {
    const auto drawn = frames("burst(60hz, 1000x1ns, every=300, seed=8)", 1300 * 50);
    for (auto run = drawn.begin(); run != drawn.end(); run += 1300) {
        ASSERT_EQ(std::count_if(run, run + 1300, is_steady), 300);
        const auto burst = std::find(run, run + 1300, 1);
        ASSERT_EQ(std::count(burst, burst + 1000, 1), 1000);
    }
}

/// How far `end` is from the nearest floored multiple of the tick of 60 hz, and which that is.
std::pair<std::int64_t, std::uint64_t> edge_offset(std::int64_t end) {
    const auto tick = static_cast<std::uint64_t>((end * 60 + 500'000'000) / 1'000'000'000);
    return {end - rate().time_of(tick), tick};
}

TEST(Edges, EndWithinANanosecondOfMultiplesOfTheTick) {
    for (const char* text : {"edges(60hz, seed=9)", "3ms, -8ms, 100ms, edges(60hz, seed=9)"}) {
        std::int64_t end = 0;
        int frame = 0;
        std::array<int, 3> offsets{};
        for (const std::int64_t time : frames(text, 100'000)) {
            end += std::max<std::int64_t>(time, 0);
            const auto [offset, tick] = edge_offset(end);
            if (frame++ >= 3) {
                ASSERT_LE(std::abs(offset), 1) << text << " frame " << frame;
                ++offsets[static_cast<std::size_t>(offset + 1)];
            }
        }
        EXPECT_GT(std::ranges::min(offsets), 30'000) << text;
    }
}

TEST(Edges, LeapOverSomeMultiplesAndCreepAcrossOthers) {
    std::int64_t end = 0;
    std::uint64_t last = 0;
    int met = 0;
    int crept = 0;
    for (const std::int64_t time : frames("edges(60hz, seed=9)", 100'000)) {
        end += time;
        const std::uint64_t tick = edge_offset(end).second;
        ASSERT_LE(tick - last, 2U);
        met += tick == last ? 0 : 1;
        crept += time == 1 ? 1 : 0;
        last = tick;
    }
    EXPECT_EQ(met, 66'584);
    EXPECT_EQ(crept, 33'416);
}

TEST(Mix, HoldsEveryOddity) {
    const auto drawn = frames("mix(seed=11)", 100'000);
    EXPECT_GT(std::ranges::count_if(drawn, [](auto frame) { return frame < 0; }), 100);
    EXPECT_GT(std::ranges::count(drawn, 0), 100);
    EXPECT_GT(std::ranges::count(drawn, 1), 100);
    EXPECT_GT(std::ranges::count_if(drawn, is_steady), 100);
    EXPECT_GT(std::ranges::max(drawn), 1'000'000'000);
}

TEST(Generators, TakeTheNearestRateForASessionBeyondTheirs) {
    EXPECT_EQ(frames("jitter(nominal, 1us)", 100, "1000000000hz"),
              frames("jitter(1000000hz, 1us)", 100));
    EXPECT_EQ(frames("edges(nominal)", 100, "1/1000000000hz"), frames("edges(1/1000000hz)", 100));
}

}  // namespace
}  // namespace isotick::core
