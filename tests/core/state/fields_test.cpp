#include "states.hpp"

#include <isotick/core/detail/field_difference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::HasSubstr;

Bytes raw(std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

struct Formatted {
    std::uint16_t a = 0x0102;
    std::vector<std::int8_t> b = {-1, 2};
    std::string c = "hi";
    Mood mood = Mood::angry;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b), c, cereal::make_nvp("a", mood));
    }
};

TEST(Fields, AreWrittenAsTheFormatSays) {
    EXPECT_EQ(fields_of(Formatted{}),
              raw({1,    0x10,                                                   //
                   0x01, 1,    'a',  0x21, 0x02, 0x01,                           //
                   0x01, 1,    'b',  0x1c, 0x24, 2,    0xff, 2,                  //
                   0x19, 2,    'h',  'i',                                        //
                   0x02, 0,    0x1b, 5,    'a',  'n',  'g',  'r', 'y', 0x20, 2,  //
                   0x11, 0}));
}

TEST(Fields, UnorderedContainersAreWrittenInOneOrder) {
    One<std::unordered_map<std::string, int>> one;
    One<std::unordered_map<std::string, int>> other;
    other.value.rehash(1000);
    for (int i = 0; i < 50; ++i) {
        one.value["key" + std::to_string(i)] = i;
        other.value["key" + std::to_string(49 - i)] = 49 - i;
    }
    EXPECT_EQ(fields_of(one), fields_of(other));
}

TEST(Fields, ARingOfSharedPointersEnds) {
    One<std::shared_ptr<Ring>> state{std::make_shared<Ring>()};
    state.value->next = state.value;
    EXPECT_TRUE(check_fields(fields_of(state)));
    state.value->next.reset();
}

TEST(Fields, NestingThatIsTooDeepIsRefused) {
    One<std::unique_ptr<Node>> deep{chain(10'000)};
    EXPECT_THAT(thrown_by([&] { fields_of(deep); }), HasSubstr("nested more than 1000 deep"));
    cut(std::move(deep.value));
}

struct ManyNames {
    std::map<std::string, int> values;
    template <class Archive>
    void serialize(Archive& archive) {
        for (auto& [name, value] : values) {
            archive(cereal::make_nvp(name.c_str(), value));
        }
    }
};

TEST(Fields, MoreNamesThanTheStreamNumbersAreSpelledOut) {
    ManyNames state;
    for (int i = 0; i < 70'000; ++i) {
        state.values["n" + std::to_string(i)] = i;
    }
    const Bytes before = fields_of(state);
    ASSERT_TRUE(check_fields(before));
    state.values["n69999"] = 0;
    const auto found = compare_fields(before, fields_of(state), 5).value();
    ASSERT_EQ(found.total, 1U);
    EXPECT_EQ(to_string(found.listed[0]), "n69999  69999 → 0");
}

TEST(StateDump, KeepsItsHeadAndItsFields) {
    const StateDumpHead head{"skirmish", 123, "isotick-xxh3-1", 0xfedc};
    Bytes bytes = state_dump_head(head).value();
    const Bytes fields = fields_of(Vec2{});
    bytes.insert(bytes.end(), fields.begin(), fields.end());
    const auto dump = read_state_dump(bytes).value();
    EXPECT_EQ(dump.head.simulation, "skirmish");
    EXPECT_EQ(dump.head.tick, 123U);
    EXPECT_EQ(dump.head.hash_algorithm, "isotick-xxh3-1");
    EXPECT_EQ(dump.head.hash, 0xfedcU);
    EXPECT_TRUE(std::equal(fields.begin(), fields.end(), dump.fields.begin(), dump.fields.end()));
}

TEST(StateDump, IsRefusedWhereverItEnds) {
    const Bytes head = state_dump_head({"a", 1, "b", 2}).value();
    for (std::size_t size = 0; size < head.size(); ++size) {
        EXPECT_FALSE(read_state_dump(std::span(head).first(size))) << size;
    }
    EXPECT_FALSE(state_dump_head({"", 1, "b", 2}));
}

TEST(StateDump, OfANewerFormatIsRefusedAsSuch) {
    Bytes head = state_dump_head({"a", 1, "b", 2}).value();
    head[8] = std::byte{2};
    EXPECT_EQ(read_state_dump(head).error().code, ErrorCode::version);
}

}  // namespace
}  // namespace isotick::core
