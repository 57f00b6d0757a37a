#include "format/input_columns.hpp"

#include "fake_session.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

constexpr std::uint32_t kInputTicks = 16;

// Changes at random, of a kind that depends on the seed: how many columns, how often, which sizes.
InputChanges random_changes(std::uint64_t seed, std::uint32_t ticks, std::uint32_t columns) {
    InputChanges all;
    std::vector<Input> current(columns);
    const std::uint64_t rarity = 1 + mix(seed) % 9;
    const std::uint64_t sizes = 1 + mix(seed, 1) % 5;
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::uint64_t bits = mix(seed, tick, column);
            if (bits % rarity != 0) {
                continue;
            }
            Input next;
            if (bits >> 8 & 3) {
                next.emplace((bits >> 16) % sizes, static_cast<std::uint8_t>(bits >> 24));
            }
            if (next == current[column]) {
                continue;
            }
            current[column] = next;
            const auto code = static_cast<std::uint32_t>(next ? next->size() + 1 : 0);
            all.changes.push_back(
                {tick, column, code, static_cast<std::uint32_t>(all.bytes.size())});
            if (next) {
                all.bytes.insert(all.bytes.end(), next->begin(), next->end());
            }
        }
    }
    return all;
}

bool same_inputs(const InputChanges& a, const InputChanges& b) {
    const auto bytes_of = [](const InputChanges& all, const InputChange& change) {
        const auto begin = all.bytes.begin() + change.offset;
        return std::vector<std::uint8_t>(begin, begin + change.size());
    };
    return std::equal(a.changes.begin(), a.changes.end(), b.changes.begin(), b.changes.end(),
                      [&](const InputChange& left, const InputChange& right) {
                          return left.tick == right.tick && left.column == right.column &&
                                 left.code == right.code && bytes_of(a, left) == bytes_of(b, right);
                      });
}

TEST(InputColumns, RandomChangesComeBack) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const auto ticks = static_cast<std::uint32_t>(1 + mix(seed, 2) % 70);
        const auto columns = static_cast<std::uint32_t>(1 + mix(seed, 3) % 6);
        const InputChanges changes = random_changes(seed, ticks, columns);
        for (const PlaneChoice choice :
             {PlaneChoice::smallest, PlaneChoice::dense, PlaneChoice::full}) {
            Bytes block;
            encode_columns(changes, ticks, columns, choice, block);
            InputChanges decoded;
            ASSERT_TRUE(decode_columns({block}, ticks, columns, decoded)) << "seed " << seed;
            ASSERT_TRUE(same_inputs(changes, decoded)) << "seed " << seed;
        }
    }
}

TEST(InputColumns, SmallestIsNeverLongerThanDense) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const InputChanges changes = random_changes(seed, 64, 3);
        Bytes smallest;
        Bytes dense;
        encode_columns(changes, 64, 3, PlaneChoice::smallest, smallest);
        encode_columns(changes, 64, 3, PlaneChoice::dense, dense);
        ASSERT_LE(smallest.size(), dense.size()) << "seed " << seed;
    }
}

TEST(InputColumns, NobodyIsOneByte) {
    Bytes block;
    encode_columns({}, 64, 65, PlaneChoice::smallest, block);
    EXPECT_EQ(block, Bytes{std::byte{65}});
}

TEST(InputColumns, CostBoundsTheBlock) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const InputChanges changes = random_changes(seed, 64, 4);
        std::uint64_t cost = 0;
        for (const InputChange& change : changes.changes) {
            cost += change_cost(change.size());
        }
        Bytes block;
        encode_columns(changes, 64, 4, PlaneChoice::full, block);
        ASSERT_LE(block.size(), cost + 1) << "seed " << seed;
    }
}

TEST(InputColumns, GarbageNeverCrashes) {
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        Bytes block(mix(seed) % 40);
        for (std::size_t i = 0; i < block.size(); ++i) {
            const std::uint64_t bits = mix(seed, i);
            block[i] = static_cast<std::byte>(bits % 3 == 0 ? bits >> 8 : bits >> 8 & 7);
        }
        InputChanges decoded;
        (void)decode_columns({block}, kInputTicks, 3, decoded);
        ASSERT_LE(decoded.changes.size(), kInputTicks * 3U);
    }
}

struct Malformed {
    const char* name;
    std::vector<std::uint8_t> block;  // one column, 16 ticks

    friend void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.name; }
};

class MalformedColumn : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedColumn, IsRefused) {
    const auto bytes = std::as_bytes(std::span(GetParam().block));
    InputChanges decoded;
    EXPECT_FALSE(decode_columns({bytes}, kInputTicks, 1, decoded));
}

// For comparison, well-formed: {0, 5, 3, 2, 7, 8, 0, …} is 2 runs of 2 bytes, the first of 4 ticks.
INSTANTIATE_TEST_SUITE_P(
    Blocks, MalformedColumn,
    testing::Values(Malformed{"Empty", {}}, Malformed{"MoreAbsentThanColumns", {2}},
                    Malformed{"BytesBehind", {1, 0}}, Malformed{"PaddedVarint", {0x81, 0}},
                    Malformed{"MoreRunsThanTicks", {0, 16 << 2 | 1, 1}},
                    Malformed{"RunStartsBehindTheEnd", {0, 1 << 2 | 1, 15, 1}},
                    Malformed{"TooFewBitsForTheRuns", {0, 2 << 2 | 3, 1, 0, 1}},
                    Malformed{"TooManyBitsForTheRuns", {0, 1 << 2 | 3, 3, 0, 1}},
                    Malformed{"UnusedBitSet", {0, 1 << 2 | 3, 0, 0x80, 1}},
                    Malformed{"CodeAboveTheLimit", {0, 1, 0x82, 0x80, 4}},
                    Malformed{"BytesMissing", {0, 1, 4, 1, 2}},
                    Malformed{"PlaneMode3", {0, 1 << 2 | 1, 3, 2, 3, 7}},
                    Malformed{"DeltaMissing", {0, 1 << 2 | 1, 3, 2, 1, 7}},
                    Malformed{"BitmapMissing", {0, 1 << 2 | 1, 3, 2, 2, 7}},
                    Malformed{"TheSameBytesAgain", {0, 1 << 2 | 1, 3, 2, 0, 7}},
                    Malformed{"TheSameBytesAgainAsDeltas", {0, 1 << 2 | 1, 3, 2, 1, 7, 0}},
                    Malformed{"TheSameBytesAgainLater", {0, 2 << 2, 3, 3, 0, 2, 2, 0, 7}},
                    Malformed{"EmptyAgain", {0, 1 << 2 | 1, 3, 1}},
                    Malformed{"AbsentAgain", {0, 1 << 2 | 1, 3, 0}},
                    Malformed{"AbsentAgainLater", {0, 2 << 2, 3, 3, 1, 0, 0}},
                    Malformed{"AbsentAllTheTime", {0, 1, 0}}),
    testing::PrintToStringParamName());

TEST(InputColumns, ComparableWellFormedColumnIsRead) {
    const std::vector<std::uint8_t> block = {0, 1 << 2 | 1, 3, 2, 1, 7, 1};
    InputChanges decoded;
    ASSERT_TRUE(decode_columns({std::as_bytes(std::span(block))}, kInputTicks, 1, decoded));
    ASSERT_EQ(decoded.changes.size(), 2U);
    EXPECT_EQ(decoded.changes[1].tick, 4U);
    EXPECT_EQ(decoded.bytes, (std::vector<std::uint8_t>{7, 8}));
}

// Absent and empty by turns, at every tick: `columns` of as many runs as there can be.
InputChanges restless(std::uint32_t columns, std::uint32_t ticks) {
    InputChanges all;
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
        for (std::uint32_t column = 0; column < columns; ++column) {
            all.changes.push_back({tick, column, tick % 2 == 0 ? 1U : 0U, 0});
        }
    }
    return all;
}

// `count` inputs of 64 KiB, all but alike.
InputChanges large(std::uint32_t count) {
    InputChanges all;
    for (std::uint32_t tick = 0; tick < count; ++tick) {
        all.changes.push_back(
            {tick, 0, ISOTICK_LONGEST_INPUT + 1, static_cast<std::uint32_t>(all.bytes.size())});
        all.bytes.resize(all.bytes.size() + ISOTICK_LONGEST_INPUT);
        all.bytes[all.changes.back().offset] = static_cast<std::uint8_t>(tick);
    }
    return all;
}

std::uint64_t cost_of(const InputChanges& changes) {
    std::uint64_t cost = 0;
    for (const InputChange& change : changes.changes) {
        cost += change_cost(change.size());
    }
    return cost;
}

TEST(InputColumns, FullBlocksOfWhatAChunkTakesKeepTheLimits) {
    for (const InputChanges& changes : {restless(128, 4096), restless(4096, 128), large(900)}) {
        ASSERT_LE(cost_of(changes), kLongestInputBlock);
        Bytes block;
        encode_columns(changes, 4096, 4097, PlaneChoice::full, block);
        EXPECT_LE(block.size(), kLongestInputBlock);
        EXPECT_LE(decoded_size(changes), most_decoded(block.size()));
        InputChanges decoded;
        ASSERT_TRUE(decode_columns({block}, 4096, 4097, decoded));
        EXPECT_TRUE(same_inputs(changes, decoded));
    }
}

// As if blocks were stored compressed to fewer and fewer bytes.
TEST(InputColumns, WhatDecodesToMoreThanItsStoredBytesAllowIsRefused) {
    for (const InputChanges& changes : {restless(64, 4096), large(40)}) {
        Bytes block;
        encode_columns(changes, 4096, 64, PlaneChoice::smallest, block);
        for (std::uint64_t stored = 1; stored < block.size(); stored += 1 + stored / 8) {
            InputChanges decoded;
            ASSERT_EQ(decode_columns({block, stored}, 4096, 64, decoded),
                      decoded_size(changes) <= most_decoded(stored))
                << stored;
            EXPECT_LE(decoded_size(decoded), most_decoded(stored)) << stored;
        }
    }
}

}  // namespace
}  // namespace isotick::replay
