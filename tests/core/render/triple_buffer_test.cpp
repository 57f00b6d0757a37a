#include <isotick/core/triple_buffer.hpp>

#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

static_assert(!std::is_copy_constructible_v<TripleBuffer<int>>);
static_assert(!std::is_move_constructible_v<TripleBuffer<int>>);

TEST(TripleBuffer, BeginsWithTheInitialStateTwice) {
    TripleBuffer<int> states(7);
    EXPECT_EQ(states.latest().previous, 7);
    EXPECT_EQ(states.latest().current, 7);
    EXPECT_EQ(states.latest().ticks_done, 0U);
}

TEST(TripleBuffer, GivesTheLatestTwo) {
    TripleBuffer<int> states(0);
    states.publish(1);
    EXPECT_EQ(states.latest().previous, 0);
    EXPECT_EQ(states.latest().current, 1);
    for (int state = 2; state <= 10; ++state) {
        states.publish(state);
    }
    EXPECT_EQ(states.latest().previous, 9);
    EXPECT_EQ(states.latest().current, 10);
    EXPECT_EQ(states.latest().ticks_done, 10U);
}

TEST(TripleBuffer, LeavesWhatWasTakenAsItIs) {
    TripleBuffer<int> states(0);
    states.publish(1);
    const LatestStates<int>& taken = states.latest();
    for (int state = 2; state <= 5; ++state) {
        states.publish(state);
        EXPECT_EQ(taken.previous, 0);
        EXPECT_EQ(taken.current, 1);
        EXPECT_EQ(taken.ticks_done, 1U);
    }
}

// Whatever the interleaving, a pair is two neighbouring states, whole, and never an older one.
TEST(TripleBuffer, NeverTearsAPairBetweenThreads) {
    constexpr std::uint64_t kTicks = 200'000;
    using Numbers = std::vector<std::uint64_t>;
    TripleBuffer<Numbers> states(Numbers(16, 0));
    std::thread simulation([&states] {
        for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
            states.publish(Numbers(16, tick));
        }
    });
    std::uint64_t seen = 0;
    std::uint64_t wrong = 0;
    while (seen < kTicks) {
        const LatestStates<Numbers>& pair = states.latest();
        wrong += pair.ticks_done < seen;
        seen = pair.ticks_done;
        wrong += pair.current != Numbers(16, seen);
        wrong += pair.previous != Numbers(16, seen == 0 ? 0 : seen - 1);
    }
    simulation.join();
    EXPECT_EQ(wrong, 0U);
}

TEST(AlphaAt, IsHowFarTheNextTickHasCome) {
    const TickRate rate = TickRate::make(100, 1).value();
    EXPECT_EQ(alpha_at(rate, 3, 30'000'000), 0);
    EXPECT_DOUBLE_EQ(alpha_at(rate, 3, 32'500'000), 0.25);
    EXPECT_DOUBLE_EQ(alpha_at(rate, 3, 39'000'000), 0.9);
}

TEST(AlphaAt, StaysBelowOneHoweverLateTheSimulationIs) {
    const TickRate rate;
    EXPECT_LT(alpha_at(rate, 3, INT64_MAX), 1);
    EXPECT_GT(alpha_at(rate, 3, INT64_MAX), 0.999);
    EXPECT_EQ(alpha_at(rate, 3, INT64_MIN), 0);
    EXPECT_EQ(alpha_at(rate, UINT64_MAX - 1, 0), 0);
}

}  // namespace
}  // namespace isotick::core
