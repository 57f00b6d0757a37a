// Places where a predicate turns are found from either end, in few questions.

#include "study/search.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;

TEST(Boundary, IsFoundFromEitherEnd) {
    for (std::uint64_t high = 1; high < 200; ++high) {
        for (std::uint64_t turn = 0; turn < high; ++turn) {
            const auto holds = [&](std::uint64_t x) {
                EXPECT_TRUE(x > 0 && x < high) << "both ends are known";
                return x <= turn;
            };
            ASSERT_EQ(last_between(0, high, holds), turn) << high;
            ASSERT_EQ(last_from_low(0, high, holds), turn) << high;
            ASSERT_EQ(last_from_high(0, high, holds), turn) << high;
        }
    }
}

TEST(Boundary, TakesFewQuestionsNearTheEndItIsLookedForFrom) {
    int asked = 0;
    const std::uint64_t high = 36'000;
    (void)last_from_high(0, high, [&](std::uint64_t x) { return ++asked, x <= high - 1; });
    EXPECT_EQ(asked, 1);
    asked = 0;
    (void)last_from_low(0, high, [&](std::uint64_t) { return ++asked, false; });
    EXPECT_EQ(asked, 1);
    asked = 0;
    (void)last_from_high(0, high, [&](std::uint64_t) { return ++asked, false; });
    EXPECT_LE(asked, 21);
}

TEST(Boundary, TellsWhereItWillLookFromHigh) {
    EXPECT_THAT(places_from_high(0, 600), ElementsAre(88, 536, 592, 599));
    EXPECT_THAT(places_from_high(5, 6), ::testing::IsEmpty());
}

TEST(Blocks, LeaveOutAllThatIsNotNeeded) {
    for (const std::set<int>& needed : {std::set<int>{}, {0}, {63}, {17, 40}, {5, 6, 7, 30}}) {
        std::vector<int> all;
        for (int i = 0; i < 64; ++i) {
            all.push_back(i);
        }
        std::set<int> left(all.begin(), all.end());
        drop_blocks(all, [&](std::span<const int> block) {
            for (const int i : block) {
                if (needed.contains(i)) {
                    return false;
                }
            }
            for (const int i : block) {
                EXPECT_EQ(left.erase(i), 1U) << "asked for again";
            }
            return true;
        });
        EXPECT_EQ(left, needed);
    }
}

TEST(Blocks, EndWhereNoneHelps) {
    int asked = 0;
    drop_blocks(std::vector<int>(1000), [&](std::span<const int>) { return ++asked, false; });
    EXPECT_EQ(asked, 32);
}

}  // namespace
}  // namespace isotick::harness
