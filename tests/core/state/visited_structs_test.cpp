// visitor.h: arrays of plain structs, described once, are what a call for each number makes of
// them.

#include "visited.hpp"

#include <isotick/core/hash_archive.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include <cereal/types/array.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::HasSubstr;

constexpr std::array<std::uint8_t, 11> kTokens{0x20, 0x21, 0x22, 0x23, 0x24, 0x25,
                                               0x26, 0x27, 0x28, 0x29, 0x2a};

std::uint64_t numbers(const isotick_member& member) {
    return isotick_member_count_(&member);
}

std::uint64_t bytes(const isotick_member& member) {
    return isotick_number_size_(member.token) * numbers(member);
}

// An array of structs whose layout is known when the test runs.
struct Structs {
    std::vector<isotick_member> members;
    std::uint64_t size = 0;  // of one
    std::uint32_t count = 0;
    std::vector<std::uint8_t> memory;

    [[nodiscard]] std::uint32_t member_count() const {
        return static_cast<std::uint32_t>(members.size());
    }

    void at_once(isotick_visitor* v) {
        isotick_structs(v, "structs", memory.data(), count, size, members.data(), member_count());
    }

    void as_list(isotick_visitor* v) {
        count = isotick_struct_list(v, "structs", memory.data(), count, count, size, members.data(),
                                    member_count());
    }

    void one_by_one(isotick_visitor* v, bool is_list) {
        if (is_list) {
            isotick_begin_list(v, "structs", count, count);
        } else {
            isotick_begin_array(v, "structs", count);
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            isotick_begin_object(v, nullptr);
            for (const isotick_member& member : members) {
                visit(v, member, memory.data() + i * size + member.offset);
            }
            isotick_end(v);
        }
        isotick_end(v);
    }

    static void visit(isotick_visitor* v, const isotick_member& member, std::uint8_t* at) {
        if (member.array_bytes == 0) {
            isotick_visit_number_(v, member.name, member.token, at);
        } else {
            isotick_visit_array_(v, member.name, member.token, at, numbers(member));
        }
    }
};

// Up to 24 members, with and without room between them; any bytes, also where no member is.
Structs random_structs(Pcg32& random) {
    static constexpr std::array kNames{"a", "b", "c", "d"};
    Structs structs;
    const bool dense = random.below(3) == 0;
    const std::uint32_t members = 1 + random.below(24);
    for (std::uint32_t i = 0; i < members; ++i) {
        const std::uint8_t token = kTokens.at(random.below(kTokens.size()));
        const std::uint32_t count = random.below(3) == 0 ? random.below(9) : 0;
        structs.size += dense ? 0 : random.below(3);
        structs.members.push_back({kNames.at(i % kNames.size()), structs.size,
                                   std::size_t{count} * isotick_number_size_(token), token});
        structs.size += bytes(structs.members.back());
    }
    structs.size += dense ? 0 : random.below(5);
    structs.count = random.below(random.below(2) == 0 ? 4 : 200);
    structs.memory.resize(structs.size * structs.count);
    for (std::uint8_t& byte : structs.memory) {
        byte = static_cast<std::uint8_t>(random.below(random.below(4) == 0 ? 2 : 256));
    }
    for (std::uint32_t i = 0; i < structs.count; ++i) {  // bools are bools
        for (const isotick_member& member : structs.members) {
            for (std::uint32_t k = 0; member.token == 0x2a && k < numbers(member); ++k) {
                structs.memory[i * structs.size + member.offset + k] &= 1;
            }
        }
    }
    return structs;
}

class VisitedStructs : public ::testing::TestWithParam<bool> {
  public:
    // Described at once, and by a call for each number.
    static auto at_once(Structs& structs) {
        return [&](isotick_visitor* v) { GetParam() ? structs.as_list(v) : structs.at_once(v); };
    }
    static auto one_by_one(Structs& structs) {
        return [&](isotick_visitor* v) { structs.one_by_one(v, GetParam()); };
    }
};
INSTANTIATE_TEST_SUITE_P(As, VisitedStructs, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "list" : "array"; });

TEST_P(VisitedStructs, AreHashedSavedAndShownAsNumberByNumber) {
    Pcg32 random(1, 1);
    for (int i = 0; i < 2000; ++i) {
        Structs structs = random_structs(random);
        for (const char* nans : {"bits", "one"}) {
            const Visited hash = visited_hash(at_once(structs), nans);
            ASSERT_EQ(hash.failure, "");
            ASSERT_EQ(hash.parts, visited_hash(one_by_one(structs), nans).parts) << i << nans;
        }
        ASSERT_EQ(visited_save(at_once(structs)).bytes, visited_save(one_by_one(structs)).bytes);
        ASSERT_EQ(visited_fields(at_once(structs)).bytes,
                  visited_fields(one_by_one(structs)).bytes);
    }
}

TEST_P(VisitedStructs, AreLoadedAndWhatIsNoMemberStays) {
    Pcg32 random(2, 1);
    for (int i = 0; i < 500; ++i) {
        Structs structs = random_structs(random);
        const Visited saved = visited_save(at_once(structs));
        Structs loaded = structs;
        std::ranges::fill(loaded.memory, std::uint8_t{0xa5});
        ASSERT_EQ(visited_load(at_once(loaded), saved.bytes), "");
        ASSERT_EQ(visited_save(at_once(loaded)).bytes, saved.bytes);
        std::vector<std::uint8_t> expected(structs.memory.size(), 0xa5);
        for (std::uint32_t k = 0; k < structs.count; ++k) {
            for (const isotick_member& member : structs.members) {
                const std::uint64_t at = k * structs.size + member.offset;
                std::memcpy(&expected[at], &structs.memory[at], bytes(member));
            }
        }
        ASSERT_EQ(loaded.memory, expected);
    }
}

TEST_P(VisitedStructs, ThatAreCutAreRefused) {
    Pcg32 random(3, 1);
    Structs structs = random_structs(random);
    while (structs.count < 3) {
        structs = random_structs(random);
    }
    const std::vector<std::byte> saved = visited_save(at_once(structs)).bytes;
    for (std::size_t size = 0; size < saved.size(); ++size) {
        const std::vector<std::byte> cut(saved.begin(),
                                         saved.begin() + static_cast<std::ptrdiff_t>(size));
        Structs loaded = structs;
        ASSERT_NE(visited_load(at_once(loaded), cut), "") << size;
    }
}

struct PlainUnit {
    float x;
    bool alive;
    std::uint16_t orders[3];
    double health;
};
const isotick_member kPlainUnit[] = {
    ISOTICK_MEMBER(PlainUnit, x, f32), ISOTICK_MEMBER(PlainUnit, alive, bool),
    ISOTICK_MEMBERS(PlainUnit, orders, u16), ISOTICK_MEMBER(PlainUnit, health, f64)};

struct PlainTwin {
    float x = 0;
    bool alive = false;
    std::array<std::uint16_t, 3> orders{};
    double health = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(alive), CEREAL_NVP(orders), CEREAL_NVP(health));
    }
};

struct PlainTwins {
    std::array<PlainTwin, 100> units{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units));
    }
};

TEST(VisitedUnits, HaveTheHashOfTheSameStructsInCpp) {
    std::array<PlainUnit, 100> units{};
    PlainTwins twins;
    for (std::uint16_t i = 0; i < units.size(); ++i) {
        PlainUnit& unit = units.at(i);
        std::memset(static_cast<void*>(&unit), 0xff, sizeof unit);  // also between the members
        unit.x = static_cast<float>(i) / 3;
        unit.alive = i % 2 == 0;
        std::ranges::copy(std::array<std::uint16_t, 3>{i, 7, 9}, unit.orders);
        unit.health = -1.0 / (i + 1);
        twins.units.at(i) = {unit.x, unit.alive, {i, 7, 9}, unit.health};
    }
    const auto visit = [&](isotick_visitor* v) {
        isotick_structs(v, "units", units.data(), units.size(), sizeof(PlainUnit), kPlainUnit,
                        std::size(kPlainUnit));
    };
    HashSink sink;
    hash_state(twins, sink);
    EXPECT_EQ(visited_hash(visit).parts.at(0).second, sink.parts().front().hash.value);
}

TEST(VisitedUnits, NestedTooDeeplyAreRefused) {
    PlainUnit unit{};
    const auto visit = [&](isotick_visitor* v) {
        for (unsigned i = 1; i < ISOTICK_DEEPEST_VISIT; ++i) {
            isotick_begin_object(v, "o");
        }
        isotick_structs(v, "units", &unit, 1, sizeof unit, kPlainUnit, std::size(kPlainUnit));
    };
    EXPECT_THAT(visited_hash(visit).failure, HasSubstr("nested more than 64 deep"));
}

}  // namespace
}  // namespace isotick::core
