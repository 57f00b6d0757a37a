#include "format/dt_column.hpp"

#include "fake_session.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::TickDt;

constexpr std::uint32_t kDtTicks = 16;
const TickDt kConstant{core::TickRate()};

TickDt dt_of(std::uint64_t numerator, std::uint64_t denominator) {
    return TickDt::make(numerator, denominator).value();
}

// Of a kind that depends on the seed: how often they change, and between which values.
DtChanges random_dt_changes(std::uint64_t seed, std::uint32_t ticks) {
    DtChanges changes;
    std::optional<TickDt> current;
    const std::uint64_t rarity = 1 + mix(seed) % 9;
    const std::uint64_t values = mix(seed, 1) % 64;
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
        const std::uint64_t bits = mix(seed, tick);
        std::optional<TickDt> next = current;
        if (bits % rarity == 0) {
            next = bits % 5 == 0
                       ? std::nullopt
                       : std::optional(dt_of(mix(bits, 1) >> values, (mix(bits, 2) >> values) | 1));
        }
        if (next == kConstant) {
            next.reset();
        }
        if (next != current) {
            changes.push_back({tick, next});
            current = next;
        }
    }
    return changes;
}

// What every tick's dt is.
std::vector<TickDt> spread(const DtChanges& changes, std::uint32_t ticks) {
    std::vector<TickDt> dts(ticks, kConstant);
    for (const DtChange& change : changes) {
        std::fill(dts.begin() + change.tick, dts.end(), change.dt.value_or(kConstant));
    }
    return dts;
}

Bytes encoded(const DtChanges& changes, std::uint32_t ticks) {
    Bytes block;
    encode_dts(changes, ticks, kConstant, block);
    return block;
}

TEST(DtColumn, RandomChangesComeBack) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const auto ticks = static_cast<std::uint32_t>(1 + mix(seed, 2) % 70);
        const DtChanges changes = random_dt_changes(seed, ticks);
        if (changes.empty()) {
            continue;
        }
        DtChanges decoded;
        ASSERT_TRUE(decode_dts({encoded(changes, ticks)}, ticks, kConstant, decoded)) << seed;
        ASSERT_EQ(spread(changes, ticks), spread(decoded, ticks)) << seed;
    }
}

TEST(DtColumn, LargestTermsComeBack) {
    constexpr std::uint64_t kMost = UINT64_MAX;
    const DtChanges changes{{0, dt_of(kMost, 1)},
                            {1, dt_of(1, kMost)},
                            {2, dt_of(0, 1)},
                            {3, dt_of(kMost, kMost - 1)},
                            {4, std::nullopt}};
    DtChanges decoded;
    ASSERT_TRUE(decode_dts({encoded(changes, kDtTicks)}, kDtTicks, kConstant, decoded));
    EXPECT_EQ(spread(changes, kDtTicks), spread(decoded, kDtTicks));
}

TEST(DtColumn, OneDtForAllTicksIsAFewBytes) {
    EXPECT_EQ(encoded({{0, dt_of(1, 30)}}, 64).size(), 3U);
}

TEST(DtColumn, MeasuredDtsTakeAFewBytesATick) {
    DtChanges changes;
    for (std::uint32_t tick = 0; tick < 64; ++tick) {
        const auto jitter = static_cast<std::int64_t>(mix(tick) % 1'000'000);
        changes.push_back({tick, TickDt::of({16'166'667 + jitter})});
    }
    EXPECT_LE(encoded(changes, 64).size(), 64U * 3 + 20);
}

TEST(DtColumn, DtsWithoutACommonDenominatorAreStoredEach) {
    // Their least common denominator is beyond 64 bits.
    const DtChanges changes{{0, dt_of(1, 0xffff'ffff'ffff'ffc5)}, {8, dt_of(1, 0xffff'fffb)}};
    DtChanges decoded;
    const Bytes block = encoded(changes, kDtTicks);
    EXPECT_EQ(std::to_integer<unsigned>(block[0]) & 1U, 0U);
    ASSERT_TRUE(decode_dts({block}, kDtTicks, kConstant, decoded));
    EXPECT_EQ(spread(changes, kDtTicks), spread(decoded, kDtTicks));
}

TEST(DtColumn, LongestBlockKeepsTheLimit) {
    constexpr std::uint32_t kMostTicks = 4096;
    DtChanges changes;
    for (std::uint32_t tick = 0; tick < kMostTicks; ++tick) {
        changes.push_back({tick, dt_of(UINT64_MAX - tick, UINT64_MAX - tick - 1)});
    }
    const Bytes block = encoded(changes, kMostTicks);
    EXPECT_LE(block.size(), kLongestDtBlock);
    DtChanges decoded;
    EXPECT_TRUE(decode_dts({block}, kMostTicks, kConstant, decoded));
}

TEST(DtColumn, WhatDecodesToMoreThanItsStoredBytesAllowIsRefused) {
    DtChanges changes;
    for (std::uint32_t tick = 0; tick < 4096; ++tick) {
        changes.push_back({tick, dt_of(1 + tick % 2, 1000)});
    }
    const Bytes block = encoded(changes, 4096);
    for (std::uint64_t stored = 1; stored < block.size(); stored += 1 + stored / 8) {
        DtChanges decoded;
        ASSERT_EQ(decode_dts({block, stored}, 4096, kConstant, decoded),
                  decoded_size(changes) <= most_decoded(stored))
            << stored;
    }
}

TEST(DtColumn, GarbageNeverCrashes) {
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        Bytes block(mix(seed) % 40);
        for (std::size_t i = 0; i < block.size(); ++i) {
            const std::uint64_t bits = mix(seed, i);
            block[i] = static_cast<std::byte>(bits % 3 == 0 ? bits >> 8 : bits >> 8 & 7);
        }
        DtChanges decoded;
        (void)decode_dts({block}, kDtTicks, kConstant, decoded);
        ASSERT_LE(decoded.size(), kDtTicks);
    }
}

struct MalformedDts {
    const char* name;
    std::vector<std::uint8_t> block;  // 16 ticks

    friend void PrintTo(const MalformedDts& malformed, std::ostream* out) {
        *out << malformed.name;
    }
};

class MalformedDtColumns : public testing::TestWithParam<MalformedDts> {};

TEST_P(MalformedDtColumns, AreRefused) {
    DtChanges decoded;
    EXPECT_FALSE(
        decode_dts({std::as_bytes(std::span(GetParam().block))}, kDtTicks, kConstant, decoded));
}

// For comparison, well-formed: {1 << 2 | 1, 3, 30, 1, 2} is 4 ticks of 1/30, then 2/30.
INSTANTIATE_TEST_SUITE_P(
    Blocks, MalformedDtColumns,
    testing::Values(MalformedDts{"Empty", {}}, MalformedDts{"BytesBehind", {1, 30, 1, 0}},
                    MalformedDts{"PaddedVarint", {1, 0x9e, 0, 1}},
                    MalformedDts{"MoreRunsThanTicks", {16 << 2 | 1, 30}},
                    MalformedDts{"RunStartsBehindTheEnd", {1 << 2 | 1, 15, 30, 1, 2}},
                    MalformedDts{"UnusedBitSet", {1 << 2 | 3, 0, 0x80, 30, 1, 2}},
                    MalformedDts{"DenominatorZero", {1, 0, 1}},
                    MalformedDts{"LaterDenominatorZero", {1 << 2, 3, 30, 0, 1, 1}},
                    MalformedDts{"DenominatorMissing", {1}},
                    MalformedDts{"NumeratorMissing", {1, 30}},
                    MalformedDts{"LaterNumeratorMissing", {1 << 2 | 1, 3, 30, 1}},
                    MalformedDts{"NothingButTheConstantDt", {1, 60, 1}},
                    MalformedDts{"TheConstantDtInOtherTerms", {1, 120, 2}},
                    MalformedDts{"TheSameDtAgain", {1 << 2 | 1, 3, 30, 1, 0}},
                    MalformedDts{"TheSameDtAgainInOtherTerms", {1 << 2, 3, 30, 60, 1, 2}},
                    MalformedDts{"TheConstantDtAgainInOtherTerms",
                                 {2 << 2, 3, 3, 60, 120, 30, 1, 2, 1}}),
    testing::PrintToStringParamName());

TEST(DtColumn, ComparableWellFormedBlockIsRead) {
    const std::vector<std::uint8_t> block = {1 << 2 | 1, 3, 30, 1, 2};
    DtChanges decoded;
    ASSERT_TRUE(decode_dts({std::as_bytes(std::span(block))}, kDtTicks, kConstant, decoded));
    ASSERT_EQ(decoded.size(), 2U);
    EXPECT_EQ(decoded[0].dt, dt_of(1, 30));
    EXPECT_EQ(decoded[1].tick, 4U);
    EXPECT_EQ(decoded[1].dt, dt_of(1, 15));
}

}  // namespace
}  // namespace isotick::replay
