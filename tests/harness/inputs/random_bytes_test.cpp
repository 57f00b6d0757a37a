// Random inputs of simulations that do not describe theirs.

#include "run/random_inputs.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Bytes = std::vector<std::uint8_t>;
using Drawn = std::optional<Bytes>;

constexpr std::size_t kSamples = 4000;

std::vector<Drawn> drawn_bytes(std::uint64_t seed, std::uint32_t player = 0) {
    RandomInput random(seed, player, std::nullopt);
    std::vector<Drawn> all;
    for (std::size_t i = 0; i < kSamples; ++i) {
        const isotick_input input = random.sample();
        EXPECT_EQ(input.player, player);
        all.push_back(input.present != 0 ? Drawn(Bytes(input.data, input.data + input.size))
                                         : std::nullopt);
    }
    return all;
}

TEST(RandomBytes, AreHeldAndSometimesAbsent) {
    const auto all = drawn_bytes(1);
    std::size_t held = 0;
    std::size_t absent = all.front() ? 0U : 1U;
    for (std::size_t i = 1; i < all.size(); ++i) {
        held += all[i] == all[i - 1] ? 1U : 0U;
        absent += all[i] ? 0U : 1U;
    }
    EXPECT_GT(held, kSamples * 7 / 10);
    EXPECT_LT(held, kSamples * 9 / 10);
    EXPECT_GT(absent, kSamples / 10);
    EXPECT_LT(absent, kSamples * 4 / 10);
}

TEST(RandomBytes, KeepTheirLengthWhileOneByteChangesMoreOftenThanNot) {
    const auto all = drawn_bytes(2);
    std::size_t kept = 0;
    std::size_t others = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i] && all[i - 1] && *all[i] != *all[i - 1]) {
            ++(all[i]->size() == all[i - 1]->size() ? kept : others);
        }
    }
    EXPECT_GT(kept, others);
    EXPECT_GT(others, 0U);
}

TEST(RandomBytes, HaveAllLengthsToSixteenAndEdgesMoreOften) {
    std::map<std::size_t, std::size_t> lengths;
    std::map<std::uint8_t, std::size_t> bytes;
    for (const Drawn& input : drawn_bytes(3)) {
        if (input) {
            ++lengths[input->size()];
            for (const std::uint8_t byte : *input) {
                ++bytes[byte];
            }
        }
    }
    EXPECT_EQ(lengths.size(), 17U);
    EXPECT_EQ(lengths.rbegin()->first, 16U);
    EXPECT_GT(lengths[16], lengths[15]);
    EXPECT_GT(lengths[1], lengths[3]);
    EXPECT_GT(bytes[0xff], 4 * bytes[0xfd]);
    EXPECT_GT(bytes[0x80], 4 * bytes[0x85]);
    EXPECT_GT(bytes.size(), 240U);
}

TEST(RandomBytes, DependOnSeedAndPlayerAlone) {
    EXPECT_EQ(drawn_bytes(4), drawn_bytes(4));
    EXPECT_NE(drawn_bytes(4), drawn_bytes(5));
    EXPECT_NE(drawn_bytes(4, 0), drawn_bytes(4, 1));
}

// The same on every platform.
TEST(RandomBytes, AreTheseOnes) {
    RandomInput random(0x1507, 0, std::nullopt);
    std::string text;
    for (int i = 0; i < 24; ++i) {
        const isotick_input input = random.sample();
        text += input.present != 0 ? "+" : "-";
        for (std::size_t byte = 0; byte < input.size; ++byte) {
            text += std::to_string(input.data[byte]) + ".";
        }
    }
    EXPECT_THAT(
        text, StartsWith("+++0.127.8.157.64.219.4.4.1.54.82.83.+0.127.8.157.64.219.4.4.1.54.82.83."
                         "+0.127.8.157.64.219.4.4.1.54.82.2."));
    EXPECT_THAT(text, HasSubstr("2.----------+0.127.8.157.64.219.4.32.1.54.82.2."));
}

}  // namespace
}  // namespace isotick::harness
