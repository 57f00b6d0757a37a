#include <isotick/core/hash_archive.hpp>
#include <isotick/core/random.hpp>

#include <array>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include <cereal/archives/binary.hpp>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

// "Round 1" of the demo program published with pcg32, seed 42 and stream 54.
TEST(Pcg32, GivesThePublishedNumbers) {
    Pcg32 random(42, 54);
    for (const std::uint32_t expected :
         {0xa15c02b7U, 0x7b47f409U, 0xba1d3330U, 0x83d2f293U, 0xbfa4784bU, 0xcbed606eU}) {
        EXPECT_EQ(random.next(), expected);
    }
}

TEST(Pcg32, GivesThePublishedCoinsAndRolls) {
    Pcg32 random(42, 54);
    for (int i = 0; i < 6; ++i) {
        random.next();
    }
    std::string coins;
    for (int i = 0; i < 65; ++i) {
        coins += random.below(2) != 0 ? 'H' : 'T';
    }
    std::string rolls;
    for (int i = 0; i < 33; ++i) {
        rolls += std::to_string(random.below(6) + 1);
    }
    EXPECT_EQ(coins, "HHTTTHTHHHTHTTTHHHHHTTTHHHTHTHTHTTHTTTHHHHHHTTTTHHTTTTTHTTTTTTTHT");
    EXPECT_EQ(rolls, "341122324324335231315141564662633");
}

TEST(Pcg32, StreamsOfOneSeedDiffer) {
    EXPECT_NE(Pcg32(1, 0).next64(), Pcg32(1, 1).next64());
    EXPECT_NE(Pcg32(1, 0), Pcg32(2, 0));
}

TEST(Pcg32, Next64IsTwoDrawsUpperHalfFirst) {
    EXPECT_EQ(Pcg32(42, 54).next64(), 0xa15c02b77b47f409ULL);
}

TEST(Pcg32, BelowOneIsZero) {
    Pcg32 random(7);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(random.below(1), 0U);
    }
}

// Without drawing again, the lower half would come up twice as often as the upper.
TEST(Pcg32, BelowIsUnbiasedWhereTheRemainderIsLargest) {
    Pcg32 random(8);
    constexpr std::uint32_t kBound = 0xc0000000U;
    int low = 0;
    constexpr int kDraws = 90'000;
    for (int i = 0; i < kDraws; ++i) {
        low += random.below(kBound) < kBound / 3 ? 1 : 0;
    }
    EXPECT_NEAR(low, kDraws / 3, 700);  // five standard deviations
}

TEST(Pcg32, BelowIsEquidistributed) {
    Pcg32 random(9);
    std::array<int, 10> seen{};
    for (int i = 0; i < 100'000; ++i) {
        ++seen.at(random.below(10));
    }
    for (const int count : seen) {
        EXPECT_NEAR(count, 10'000, 475);  // five standard deviations
    }
}

TEST(Pcg32, BetweenReachesBothEndsAndNothingElse) {
    Pcg32 random(10);
    std::set<std::int64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(random.between(-2, 3));
    }
    EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2, 3}));
}

TEST(Pcg32, BetweenCoversAllOfInt64) {
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    Pcg32 random(11);
    Pcg32 twin = random;
    EXPECT_EQ(random.between(kLeast, kMost), static_cast<std::int64_t>(twin.next64()));
    EXPECT_EQ(random.between(kMost, kMost), kMost);
    EXPECT_EQ(random.between(kLeast, kLeast), kLeast);
}

TEST(Pcg32, BetweenIsUnbiasedWhereTheRemainderIsLargest) {
    Pcg32 random(17);
    constexpr std::int64_t kHighest = (std::int64_t{1} << 62) - 1;
    constexpr std::int64_t kLowest = -2 * (kHighest + 1);  // three quarters of all int64
    int low = 0;
    constexpr int kDraws = 90'000;
    for (int i = 0; i < kDraws; ++i) {
        low += random.between(kLowest, kHighest) < kLowest / 2 ? 1 : 0;
    }
    EXPECT_NEAR(low, kDraws / 3, 700);  // five standard deviations
}

TEST(Pcg32, UnitNumbersStayBelowOneAndAverageAHalf) {
    Pcg32 random(12);
    double float_sum = 0;
    double double_sum = 0;
    constexpr int kDraws = 100'000;
    for (int i = 0; i < kDraws; ++i) {
        const float single = random.unit_float();
        const double twice = random.unit_double();
        ASSERT_TRUE(single >= 0 && single < 1 && twice >= 0 && twice < 1);
        float_sum += static_cast<double>(single);
        double_sum += twice;
    }
    EXPECT_NEAR(float_sum / kDraws, 0.5, 0.005);
    EXPECT_NEAR(double_sum / kDraws, 0.5, 0.005);
}

TEST(Pcg32, UnitNumbersAreTheUpperBits) {
    EXPECT_EQ(Pcg32(42, 54).unit_float(), static_cast<float>(0xa15c02) / 16'777'216.0F);
    EXPECT_EQ(Pcg32(42, 54).unit_double(), 0xa15c02b77b47f409ULL / 2048 / 0x1p53);
}

TEST(Pcg32, ChanceIsAsOftenAsItSays) {
    Pcg32 random(13);
    int hits = 0;
    for (int i = 0; i < 60'000; ++i) {
        hits += random.chance(1, 6) ? 1 : 0;
        EXPECT_FALSE(random.chance(0, 6));
        EXPECT_TRUE(random.chance(6, 6));
    }
    EXPECT_NEAR(hits, 10'000, 460);  // five standard deviations
}

TEST(Pcg32, GoesOnWhereItWasSaved) {
    Pcg32 random(14, 15);
    random.next();
    std::stringstream saved;
    cereal::BinaryOutputArchive{saved}(random);
    Pcg32 loaded;
    cereal::BinaryInputArchive{saved}(loaded);
    EXPECT_EQ(loaded, random);
    EXPECT_EQ(loaded.next(), random.next());
}

TEST(Pcg32, IsStateThatAHashSees) {
    HashSink sink;
    Pcg32 random(16);
    hash_state(random, sink);
    const PartHash before = sink.parts()[0].hash;
    random.next();
    hash_state(random, sink);
    EXPECT_NE(sink.parts()[0].hash, before);
}

TEST(DerivedSeed, DependsOnEveryNumberAndItsPlace) {
    const std::set<std::uint64_t> seeds{
        derive_seed(1, {}),     derive_seed(1, {0}),    derive_seed(1, {2, 3}),
        derive_seed(1, {3, 2}), derive_seed(2, {1, 3}), derive_seed(1, {2, 3, 0}),
    };
    EXPECT_EQ(seeds.size(), 6U);
}

// The bytes are part of what users repeat a run by: they may not change between versions.
TEST(DerivedSeed, IsTheHashOfTheLittleEndianNumbers) {
    std::array<std::byte, 16> bytes{};
    bytes[0] = std::byte{0x02};
    bytes[1] = std::byte{0x01};
    bytes[15] = std::byte{0x80};
    EXPECT_EQ(derive_seed(0x0102, {0x8000'0000'0000'0000ULL}), hash_bytes(bytes));
}

TEST(DerivedSeed, NeighboursShareNoMoreBitsThanChance) {
    int equal_bits = 0;
    for (std::uint64_t trial = 0; trial < 1000; ++trial) {
        const std::uint64_t differing =
            derive_seed(5, {6, 7, trial}) ^ derive_seed(5, {6, 7, trial + 1});
        equal_bits += 64 - __builtin_popcountll(differing);
    }
    EXPECT_NEAR(equal_bits, 32'000, 800);
}

}  // namespace
}  // namespace isotick::core
