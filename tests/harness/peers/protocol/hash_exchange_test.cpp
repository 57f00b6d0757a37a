#include "peers/hash_exchange.hpp"

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
        pair.sides[1].share_doubt(pair.sides[0].details());
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

// The first of three; the others' reports are made up.
HashExchange honest_until(std::uint64_t ticks) {
    HashExchange exchange(8, 3);
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        exchange.add(tick, {tick});
    }
    exchange.confirm(ticks);
    return exchange;
}

TEST(HashExchange, OnePeersNoiseDoesNotHideAnother) {
    HashExchange exchange = honest_until(64);
    exchange.take(2, {8, 666});
    ASSERT_TRUE(exchange.doubt());
    EXPECT_EQ(exchange.doubt()->about, 2U);
    exchange.take(1, {16, 1});
    EXPECT_EQ(exchange.doubt()->about, 2U);  // one after the other
    EXPECT_FALSE(exchange.drop_doubt(std::nullopt));
    exchange.take(2, {16, 666});
    ASSERT_TRUE(exchange.doubt());
    EXPECT_EQ(exchange.doubt()->about, 1U);
    EXPECT_EQ(exchange.doubt()->last, 16U);
}

TEST(HashExchange, WhatDiffersComesFirst) {
    HashExchange exchange = honest_until(64);
    exchange.take(2, {8, 666});
    exchange.share_doubt({40, {40, 41}, {}});
    EXPECT_EQ(exchange.doubt()->first, 0U);  // equal hashes: whoever sent them has a doubt as well
    exchange.share_doubt({40, {40, 42}, {}});
    EXPECT_EQ(exchange.doubt()->first, 40U);
    EXPECT_TRUE(exchange.doubt()->is_evident);
    exchange.share_doubt({50, {1, 2}, {}});
    EXPECT_EQ(exchange.doubt()->first, 40U);
}

TEST(HashExchange, AChainThatItsOwnHashesDenyIsALie) {
    const auto lies = [](bool was_equal, std::uint64_t told) {
        HashExchange exchange = honest_until(16);
        if (was_equal) {
            exchange.take(1, *honest_until(8).report(false));
        }
        exchange.take(1, {16, 666});
        HashDetails theirs = exchange.details();
        theirs.hashes.back() += told;
        return exchange.drop_doubt(theirs);
    };
    EXPECT_TRUE(lies(true, 0));
    EXPECT_FALSE(lies(true, 1));   // that is a difference, not a lie
    EXPECT_FALSE(lies(false, 0));  // it may have joined by a chain that was wrong
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
    details[0]->inputs[1] = 6;  // what one of a side says alone of peer 1
    EXPECT_EQ(judge_details(details)->two_faced, 3U);
    details[0]->inputs[3] = 6;
    EXPECT_FALSE(judge_details(details)->two_faced);
    details[0]->inputs[3] = 5;
    details[2]->inputs[2] = 6;  // it says otherwise of itself, too
    EXPECT_EQ(judge_details(details)->two_faced, 2U);
    details[1]->hashes = {1, 9, 3};
    EXPECT_TRUE(judge_details(details)->minority.empty());  // two against two
    details[2]->hashes = {1, 2, 3};
    details[1].reset();
    EXPECT_FALSE(judge_details(details));
}

}  // namespace
}  // namespace isotick::harness
