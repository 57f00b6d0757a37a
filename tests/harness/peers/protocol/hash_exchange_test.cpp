#include "peers/protocol/known/hash_exchange.hpp"

#include <array>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

// Two that exchange reports, the second with another hash at one tick.
struct Pair {
    std::array<HashExchange, 2> sides{HashExchange(8, 2), HashExchange(8, 2)};

    void add(std::uint64_t tick, std::uint64_t other) {
        for (std::size_t side = 0; side < 2; ++side) {
            sides[side].add(tick, {1000 + tick + (side == 1 ? other : 0)});
            sides[side].confirm(tick + 1);
        }
    }
};

TEST(HashExchange, FindsTheFirstTickThatDiffersThoughReportsAreLost) {
    for (const std::uint64_t bad : {0U, 5U, 40U, 41U}) {
        Pair pair;
        for (std::uint64_t tick = 0; tick < 64; ++tick) {
            pair.add(tick, tick >= bad ? 1 : 0);
        }
        ASSERT_FALSE(pair.sides[0].doubt());
        pair.sides[0].take(1, *pair.sides[1].report(false));  // the only one that came
        ASSERT_TRUE(pair.sides[0].doubt());
        pair.sides[1].share_doubt(pair.sides[0].doubt()->first, pair.sides[0].doubt()->second);
        std::vector<std::optional<HashDetails>> details;
        for (const HashExchange& side : pair.sides) {
            details.push_back(side.details());
            details.back()->inputs.resize(2 * details.back()->hashes.size(), 7);
        }
        const auto found = judge_details(details);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->tick.value, bad);
        EXPECT_TRUE(found->minority.empty());  // one against one
    }
}

TEST(HashExchange, IsSilentWhereAllAgree) {
    Pair pair;
    for (std::uint64_t tick = 0; tick < 3000; ++tick) {
        pair.add(tick, 0);
        if (const auto report = pair.sides[1].report(false)) {
            pair.sides[0].take(1, *report);
        }
    }
    EXPECT_FALSE(pair.sides[0].doubt());
}

TEST(HashExchange, SeesADifferenceThatHealed) {
    Pair pair;
    for (std::uint64_t tick = 0; tick < 64; ++tick) {
        pair.add(tick, tick == 20 ? 1 : 0);
    }
    pair.sides[0].take(1, *pair.sides[1].report(false));
    EXPECT_TRUE(pair.sides[0].doubt());
}

TEST(HashExchange, LooksAtAReportOnceItHasComeSoFar) {
    Pair pair;
    for (std::uint64_t tick = 0; tick < 16; ++tick) {
        pair.sides[1].add(tick, {1});
    }
    pair.sides[1].confirm(16);
    pair.sides[0].take(1, *pair.sides[1].report(false));
    for (std::uint64_t tick = 0; tick < 15; ++tick) {
        pair.sides[0].add(tick, {2});
    }
    pair.sides[0].confirm(15);
    EXPECT_FALSE(pair.sides[0].doubt());
    pair.sides[0].add(15, {2});
    pair.sides[0].confirm(16);
    EXPECT_TRUE(pair.sides[0].doubt());
}

TEST(HashExchange, ReportsTheLastTicksToo) {
    HashExchange exchange(8, 2);
    for (std::uint64_t tick = 0; tick < 19; ++tick) {
        exchange.add(tick, {tick});
    }
    exchange.confirm(19);
    EXPECT_EQ(exchange.report(false)->ticks, 16U);
    EXPECT_EQ(exchange.report(true)->ticks, 19U);
}

TEST(HashExchange, NamesTheMinorityAndTheTwoFaced) {
    std::vector<std::optional<HashDetails>> details(
        4, HashDetails{10, {1, 2, 3}, std::vector<std::uint32_t>(12, 5)});
    details[2]->hashes = {1, 9, 3};
    auto found = judge_details(details);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->tick.value, 11U);
    EXPECT_EQ(found->minority, std::vector<std::uint32_t>{2});
    EXPECT_FALSE(found->two_faced);
    details[2]->inputs[3] = 6;
    EXPECT_EQ(judge_details(details)->two_faced, 3U);
    details[1]->hashes = {1, 9, 3};
    EXPECT_TRUE(judge_details(details)->minority.empty());  // two against two
    details[2]->hashes = {1, 2, 3};
    details[1].reset();
    EXPECT_FALSE(judge_details(details));
}

}  // namespace
}  // namespace isotick::harness
