// Random inputs of the type that a simulation describes.

#include "run/random_inputs.hpp"

#include "described_sims.hpp"
#include "piles/piles.hpp"

#include <isotick/core/detail/reference.hpp>

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using Bytes = std::vector<std::uint8_t>;

InputWords words_of(const isotick_simulation_table& table, std::uint32_t player) {
    return {[&table, player](std::span<const std::uint8_t> bytes) {
                auto text = core::describe_input(table, player, bytes);
                return text ? std::optional(*std::move(text)) : std::nullopt;
            },
            [&table, player](std::string_view json) {
                auto bytes = core::compose_input(table, player, json);
                return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
            }};
}

// What the adapter makes of an input type.
template <class T>
InputWords words_of() {
    const auto guarded = [](auto make) -> std::optional<decltype(make())> {
        try {
            return make();
        } catch (const std::exception&) {
            return std::nullopt;
        }
    };
    return {[=](std::span<const std::uint8_t> bytes) {
                return guarded([&] { return core::to_json(core::read_input<T>(bytes)); });
            },
            [=](std::string_view json) {
                return guarded([&] { return core::write_input(core::from_json<T>(json)); });
            }};
}

template <class T>
std::vector<std::optional<T>> drawn(std::uint64_t seed, std::size_t samples) {
    RandomInput random(seed, 0, words_of<T>());
    EXPECT_TRUE(random.has_examples());
    std::vector<std::optional<T>> all;
    for (std::size_t i = 0; i < samples; ++i) {
        const isotick_input input = random.sample();
        all.push_back(input.present != 0
                          ? std::optional(core::read_input<T>({input.data, input.size}))
                          : std::nullopt);
    }
    return all;
}

std::vector<std::string> texts(std::uint64_t seed, std::size_t samples) {
    std::vector<std::string> all;
    for (const auto& pad : drawn<Pad>(seed, samples)) {
        all.push_back(pad ? core::to_json(*pad) : "");
    }
    return all;
}

TEST(RandomInputs, AreAllOfTheTypeThatIsDescribed) {
    int present = 0;
    for (const auto& pad : drawn<Pad>(1, 120)) {
        if (pad) {
            ++present;
            EXPECT_STRNE(isotick_enum_name(pad->move), "");
        }
    }
    EXPECT_GT(present, 40);
}

TEST(RandomInputs, GoToTheEdgesOfEachField) {
    std::map<int, int> aims;
    std::map<Move, int> moves;
    std::map<bool, int> jumps;
    for (const auto& pad : drawn<Pad>(2, 4000)) {
        if (pad) {
            ++aims[pad->aim];
            ++moves[pad->move];
            ++jumps[pad->jump];
        }
    }
    EXPECT_EQ(jumps.size(), 2U);
    EXPECT_EQ(moves.size(), 3U);
    for (const int edge : {-128, -127, -1, 0, 1, 126, 127, 64}) {
        EXPECT_GT(aims[edge], 20) << edge;
    }
    EXPECT_GT(aims.size(), 80U) << "what is between them comes too";
}

TEST(RandomInputs, AreHeldAndChangeInOnePlaceMoreOftenThanInSeveral) {
    const auto all = drawn<Pad>(3, 4000);
    std::map<int, int> changes;
    int held = 0;
    int longest = 0;
    for (std::size_t i = 1, row = 0; i < all.size(); ++i) {
        const auto& before = all[i - 1];
        const auto& now = all[i];
        if (!before || !now) {
            row = 0;
            continue;
        }
        const int fields = (now->jump != before->jump ? 1 : 0) +
                           (now->move != before->move ? 1 : 0) + (now->aim != before->aim ? 1 : 0);
        row = fields == 0 ? row + 1 : 0;
        held += fields == 0 ? 1 : 0;
        longest = std::max(longest, static_cast<int>(row));
        ++changes[fields];
    }
    EXPECT_GT(held, 1500);
    EXPECT_GT(longest, 10);
    EXPECT_GT(changes[1], 2 * (changes[2] + changes[3]));
    EXPECT_GT(changes[3], 0);
}

TEST(RandomInputs, DependOnTheSeed) {
    EXPECT_EQ(texts(4, 300), texts(4, 300));
    EXPECT_NE(texts(4, 300), texts(5, 300));
}

// The same on every platform.
TEST(RandomInputs, AreTheseOnes) {
    const std::string plain = R"({"jump":false,"move":"stay","aim":0})";
    const std::string aimed = R"({"jump":false,"move":"stay","aim":127})";
    const std::string other = R"({"jump":true,"move":"left","aim":2})";
    EXPECT_THAT(texts(0x1507, 12), ElementsAre(plain, plain, aimed, aimed, aimed, aimed, aimed,
                                               other, other, other, other, other));
}

TEST(RandomInputs, FindTheLimitsThatATypesOwnCodeSets) {
    std::set<int> angles;
    std::set<std::size_t> lengths;
    std::set<Order> orders;
    std::set<std::string> said;
    std::set<std::uint64_t> flags;
    for (const auto& input : drawn<Commands>(6, 6000)) {
        if (!input) {
            continue;
        }
        lengths.insert(input->commands.size());
        said.insert(input->text);
        flags.insert(input->flags);
        for (const Command& command : input->commands) {
            orders.insert(command.order);
            angles.insert(command.angle);
            EXPECT_LE(command.force, 1000);
            EXPECT_GE(command.force, -1000);
        }
    }
    EXPECT_THAT(orders, ElementsAre(Order::go, Order::wait)) << "never the one without a name";
    EXPECT_THAT(angles, IsSupersetOf({0, 1, 358, 359}));
    EXPECT_EQ(*angles.rbegin(), 359);
    EXPECT_THAT(lengths, IsSupersetOf({0U, 1U, 2U, 3U}));
    EXPECT_THAT(said, IsSupersetOf({std::string(), std::string("a"), std::string(64, 'x')}));
    EXPECT_THAT(flags, IsSupersetOf({UINT64_C(0), UINT64_C(1), UINT64_C(1) << 40, UINT64_MAX}));
}

TEST(RandomInputs, OfAllKindsOfSimulationsAreDescribedFaithfully) {
    for (const char* name : {"spring", "skirmish", "pile", "control:alpha"}) {
        const auto& table = *core::find_simulation(name);
        RandomInput random(7, 0, words_of(table, 0));
        ASSERT_TRUE(random.has_examples()) << name;
        std::set<Bytes> different;
        for (int i = 0; i < 500; ++i) {
            const isotick_input input = random.sample();
            if (input.present != 0) {
                const Bytes bytes(input.data, input.data + input.size);
                EXPECT_TRUE(core::faithful_description(table, 0, bytes)) << name;
                different.insert(bytes);
            }
        }
        EXPECT_GT(different.size(), 30U) << name;
    }
}

TEST(RandomInputs, OfTheWorldComeWhereTheyAreDescribed) {
    const auto& skirmish = *core::find_simulation("skirmish");
    EXPECT_TRUE(RandomInput(8, ISOTICK_WORLD, words_of(skirmish, ISOTICK_WORLD)).has_examples());
    const auto& pile = *core::find_simulation("pile");
    RandomInput none(8, ISOTICK_WORLD, words_of(pile, ISOTICK_WORLD));
    EXPECT_FALSE(none.has_examples());
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(none.sample().present, 0U);
    }
}

// Keys as words, of which an array holds those that are down: no number stands for them.
TEST(RandomInputs, LearnWordsFromExamples) {
    const std::map<std::string, std::uint8_t> keys{{"\"up\"", 1}, {"\"fire\"", 2}};
    const InputWords words{
        [&](std::span<const std::uint8_t> bytes) -> std::optional<std::string> {
            if (bytes.size() != 1 || bytes[0] > 3) {
                return std::nullopt;
            }
            std::string text;
            for (const auto& [name, bit] : keys) {
                text += (bytes[0] & bit) != 0 ? (text.empty() ? "" : ",") + name : "";
            }
            return "[" + text + "]";
        },
        [&](std::string_view json) -> std::optional<Bytes> {
            std::uint8_t bits = 0;
            const auto document = core::parse_json(json);
            for (const core::JsonMember& member : document->members) {
                const auto key = keys.find('"' + member.value.text + '"');
                if (key == keys.end()) {
                    return std::nullopt;
                }
                bits = static_cast<std::uint8_t>(bits | key->second);
            }
            return json.starts_with('[') ? std::optional(Bytes{bits}) : std::nullopt;
        }};
    RandomInput random(9, 0, words);
    std::set<std::uint8_t> seen;
    for (int i = 0; i < 400; ++i) {
        const isotick_input input = random.sample();
        if (input.present != 0) {
            ASSERT_EQ(input.size, 1U);
            seen.insert(*input.data);
        }
    }
    EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace isotick::harness
