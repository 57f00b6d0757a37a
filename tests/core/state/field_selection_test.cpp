// Fields picked by the paths that reports print.

#include "states.hpp"

#include <isotick/core/detail/field_selection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::ElementsAre;
using ::testing::SizeIs;

struct Bare {  // members without names
    std::int32_t first = 7;
    Vec2 second = {1, 2};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(first, second);
    }
};

struct SelectedWorld {
    SelectedWorld() {
        units[1].velocity = {0.1F, -0.0F};
        units[1].mood = Mood::angry;
        ships[0].id = 3;
        ships[1].id = 5;
        ships[1].stunned = true;
    }
    std::vector<Unit> units = std::vector<Unit>(2);
    std::vector<Entity> ships = std::vector<Entity>(2);
    std::map<std::string, Vec2> by_name = {{"ann", {1, 2}}, {"a].\"b", {3, 4}}};
    std::map<std::uint8_t, std::int16_t> by_number = {{0, -1}, {255, -2}};
    std::map<Mood, bool> by_mood = {{Mood::angry, true}};
    std::vector<double> numbers = {1.5, 2.5, 3.5};
    std::optional<int> nothing;
    std::optional<int> something = 5;
    std::variant<int, Vec2> either = Vec2{8, 9};
    std::shared_ptr<Vec2> owner = std::make_shared<Vec2>(Vec2{6, 7});
    std::shared_ptr<Vec2> again = owner;
    std::string name = "ann \"the\" first";
    std::bitset<3> bits{5};
    std::vector<Unit> nobody;
    std::vector<float> no_numbers;
    std::map<int, int> no_keys;
    Bare bare;
    Silent silent;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(ships), CEREAL_NVP(by_name), CEREAL_NVP(by_number),
                CEREAL_NVP(by_mood), CEREAL_NVP(numbers), CEREAL_NVP(nothing),
                CEREAL_NVP(something), CEREAL_NVP(either), CEREAL_NVP(owner), CEREAL_NVP(again),
                CEREAL_NVP(name), CEREAL_NVP(bits), CEREAL_NVP(nobody), CEREAL_NVP(no_numbers),
                CEREAL_NVP(no_keys), CEREAL_NVP(bare), CEREAL_NVP(silent));
    }
};

struct Picked {
    std::vector<std::string> lines;
    FieldSelection selection;
};

Picked pick(std::span<const std::byte> fields, const std::string& pattern) {
    Picked picked;
    picked.selection =
        select_fields(fields, FieldPattern::parse(pattern).value(), [&](const SelectedField& one) {
            picked.lines.push_back(one.path + " = " + value_of(one));
        }).value();
    return picked;
}

std::vector<std::string> picked(const std::string& pattern) {
    return pick(fields_of(SelectedWorld()), pattern).lines;
}

std::string missing(const std::string& pattern) {
    return pick(fields_of(SelectedWorld()), pattern).selection.missing;
}

TEST(FieldSelection, PicksOneValueByItsPath) {
    EXPECT_THAT(picked("units[1].velocity.x"),
                ElementsAre("units[1].velocity.x = 0.1  (0x3dcccccd)"));
    EXPECT_THAT(picked("units[1].velocity.y"),
                ElementsAre("units[1].velocity.y = -0  (0x80000000)"));
    EXPECT_THAT(picked("units[1].mood"), ElementsAre("units[1].mood = angry (2)"));
    EXPECT_THAT(picked("units[0].stunned"), ElementsAre("units[0].stunned = false"));
}

TEST(FieldSelection, PicksAllThatIsBelow) {
    EXPECT_THAT(picked("units[1]"),
                ElementsAre("units[1].id = 0", "units[1].velocity.x = 0.1  (0x3dcccccd)",
                            "units[1].velocity.y = -0  (0x80000000)", "units[1].stunned = false",
                            "units[1].mood = angry (2)"));
    EXPECT_THAT(picked("units"), SizeIs(10));
}

TEST(FieldSelection, PicksTheWholeStateByTheEmptyPath) {
    const std::vector<std::string> all = picked("");
    EXPECT_EQ(all.front(), "units[0].id = 0");
    EXPECT_EQ(all.back(), "silent = no members");
    EXPECT_THAT(pick(fields_of(SelectedWorld()), "").selection.total, all.size());
}

TEST(FieldSelection, PicksAnyElementByAStar) {
    EXPECT_THAT(picked("units[*].stunned"),
                ElementsAre("units[0].stunned = false", "units[1].stunned = false"));
    EXPECT_THAT(picked("ships[*].id"), ElementsAre("ships[id=3].id = 3", "ships[id=5].id = 5"));
    EXPECT_THAT(picked("by_number[*]"), ElementsAre("by_number[0] = -1", "by_number[255] = -2"));
    EXPECT_THAT(picked("numbers[*]"), SizeIs(3));
}

TEST(FieldSelection, PicksByKeyAsReportsPrintIt) {
    EXPECT_THAT(picked("ships[id=5].stunned"), ElementsAre("ships[id=5].stunned = true"));
    EXPECT_THAT(picked("by_name[\"ann\"].y"), ElementsAre("by_name[\"ann\"].y = 2  (0x40000000)"));
    EXPECT_THAT(picked("by_number[255]"), ElementsAre("by_number[255] = -2"));
    EXPECT_THAT(picked("by_mood[angry (2)]"), ElementsAre("by_mood[angry (2)] = true"));
}

TEST(FieldSelection, PicksByKeysThatLookLikePaths) {
    EXPECT_THAT(picked("by_name[\"a].\"b\"].x"),
                ElementsAre("by_name[\"a].\"b\"].x = 3  (0x40400000)"));
}

TEST(FieldSelection, PicksElementsOfArrays) {
    EXPECT_THAT(picked("numbers[2]"), ElementsAre("numbers[2] = 3.5  (0x400c000000000000)"));
    EXPECT_THAT(picked("numbers"), SizeIs(3));
    EXPECT_THAT(picked("bits"), ElementsAre("bits[0] = true", "bits[1] = false", "bits[2] = true"));
}

TEST(FieldSelection, LooksThroughOptionalsVariantsAndPointers) {
    EXPECT_THAT(picked("nothing"), ElementsAre("nothing = none"));
    EXPECT_THAT(picked("something"), ElementsAre("something = 5"));
    EXPECT_THAT(picked("either.y"), ElementsAre("either.y = 9  (0x41100000)"));
    EXPECT_THAT(picked("owner.x"), ElementsAre("owner.x = 6  (0x40c00000)"));
    EXPECT_THAT(picked("again"), ElementsAre("again = shared object 1"));
}

TEST(FieldSelection, PicksMembersWithoutANameByTheirPlace) {
    EXPECT_THAT(picked("bare.0"), ElementsAre("bare.0 = 7"));
    EXPECT_THAT(picked("bare.1.y"), ElementsAre("bare.1.y = 2  (0x40000000)"));
}

TEST(FieldSelection, SaysThatAContainerIsEmpty) {
    EXPECT_THAT(picked("nobody"), ElementsAre("nobody = 0 elements"));
    EXPECT_THAT(picked("no_numbers"), ElementsAre("no_numbers = 0 elements"));
    EXPECT_THAT(picked("no_keys"), ElementsAre("no_keys = 0 elements"));
}

TEST(FieldSelection, GivesTextsWithoutQuotesAndTheirType) {
    std::vector<SelectedField> fields;
    const auto take = [&](const SelectedField& field) { fields.push_back(field); };
    ASSERT_TRUE(
        select_fields(fields_of(SelectedWorld()), FieldPattern::parse("name").value(), take));
    ASSERT_THAT(fields, SizeIs(1));
    EXPECT_EQ(fields[0].value, "ann \"the\" first");
    EXPECT_EQ(fields[0].type, "text");
    EXPECT_EQ(value_of(fields[0]), "\"ann \"the\" first\"");
}

TEST(FieldSelection, GivesAStateThatIsOneValueAnEmptyPath) {
    EXPECT_THAT(pick(fields_of(std::vector<int>{4, 5}), "[1]").lines, ElementsAre("[1] = 5"));
    const Bytes number = {std::byte{1}, std::byte{0x20}, std::byte{42}, std::byte{0}};
    EXPECT_THAT(pick(number, "").lines, ElementsAre(" = 42"));
}

TEST(FieldSelection, PicksNamesThatOnlyLookLikeSeveralSteps) {
    std::map<std::string, std::int32_t> members = {{"a.b", 1}, {"a", 2}, {"ab", 3}};
    struct Odd {
        std::map<std::string, std::int32_t>* members;
        void serialize(FieldArchive& archive) const {
            for (const auto& [name, value] : *members) {
                archive(cereal::make_nvp(name.c_str(), value));
            }
        }
    };
    const Bytes fields = fields_of(Odd{&members});
    EXPECT_THAT(pick(fields, "a.b").lines, ElementsAre("a.b = 1"));
    EXPECT_THAT(pick(fields, "a").lines, ElementsAre("a = 2"));
}

TEST(FieldSelection, SaysWhichMemberIsMissingAndWhatThereIs) {
    EXPECT_EQ(missing("units[1].velocty.y"),
              "there is no 'velocty' in units[1], which has id, velocity, stunned, mood");
    EXPECT_EQ(missing("unit[1]"),
              "there is no 'unit' in the state, which has units, ships, by_name, by_number, "
              "by_mood, numbers, nothing, something and 10 more");
    EXPECT_EQ(missing("units[1].identity"),
              "there is no 'identity' in units[1], which has id, velocity, stunned, mood");
    EXPECT_EQ(missing("units[*].velocity.z"),
              "there is no 'z' in units[0].velocity, which has x, y");
    EXPECT_EQ(missing("units[1][*]"),
              "there is no [*] in units[1], which has id, velocity, stunned, mood");
}

TEST(FieldSelection, SaysWhichElementIsMissingAndWhichThereAre) {
    EXPECT_EQ(missing("units[2].id"),
              "there is no [2] in units, which has 2 elements, from [0] to [1]");
    EXPECT_EQ(missing("numbers[-1]"),
              "there is no [-1] in numbers, which has 3 elements, from [0] to [2]");
    EXPECT_EQ(missing("numbers.x"),
              "there is no 'x' in numbers, which has 3 elements, from [0] to [2]");
    EXPECT_EQ(missing("nobody[0].id"), "there is no [0] in nobody, which has nothing in it");
    EXPECT_EQ(missing("ships[3]"), "there is no [3] in ships, which has [id=3], [id=5]");
    EXPECT_EQ(missing("by_name[\"bob\"]"),
              "there is no [\"bob\"] in by_name, which has [\"a].\"b\"], [\"ann\"]");
}

TEST(FieldSelection, SaysWhereThereIsNothingBelow) {
    EXPECT_EQ(missing("something.x"), "there is no 'x' in something, which is 5");
    EXPECT_EQ(missing("numbers[1].x"), "there is no 'x' in numbers[1], which is 2.5");
    EXPECT_EQ(missing("nothing.x"), "there is no 'x' in nothing, which is none");
    EXPECT_EQ(missing("again.x"), "there is no 'x' in again, which is shared object 1");
    EXPECT_EQ(missing("name.x"), "there is no 'x' in name, which is \"ann \"the\" first\"");
}

TEST(FieldSelection, SaysWhatIsMissingWhereThereIsMostToSay) {
    const One<std::vector<std::optional<Vec2>>> state{{std::nullopt, Vec2{1, 2}, Vec2{3, 4}}};
    EXPECT_EQ(pick(fields_of(state), "value[*].z").selection.missing,
              "there is no 'z' in value[1], which has x, y");
}

TEST(FieldSelection, HasNothingMissingWhereItFoundSomething) {
    EXPECT_EQ(missing("units[1].id"), "");
}

std::string refusal_of_selection(const std::string& pattern) {
    const auto parsed = FieldPattern::parse(pattern);
    return parsed ? "" : parsed.error().message;
}

TEST(FieldPattern, NamesTheColumnOfAMistake) {
    EXPECT_EQ(refusal_of_selection(".x"),
              "'.x' is not a path: column 1: a path begins with a name or a [");
    EXPECT_EQ(refusal_of_selection("units[1]..x"),
              "'units[1]..x' is not a path: column 9: expected a name after this .");
    EXPECT_EQ(refusal_of_selection("units."),
              "'units.' is not a path: column 6: expected a name after this .");
    EXPECT_EQ(refusal_of_selection("units[17"),
              "'units[17' is not a path: column 6: this [ has no ]");
    EXPECT_EQ(refusal_of_selection("units[17]x"),
              "'units[17]x' is not a path: column 6: after the ] of this [ expected . or [");
    EXPECT_EQ(refusal_of_selection("units[]"),
              "'units[]' is not a path: column 6: an index or key is missing; [*] means any");
    EXPECT_EQ(refusal_of_selection("units.[1]"),
              "'units.[1]' is not a path: column 6: expected a name after this .");
}

TEST(FieldPattern, KnowsItsWildcards) {
    EXPECT_TRUE(FieldPattern::parse("units[*].id").value().has_wildcard());
    EXPECT_FALSE(FieldPattern::parse("units[1].id").value().has_wildcard());
}

// Whatever is in a state: the path that a value is handed out with picks it alone.
TEST(FieldPattern, TakesEveryPathThatIsPrinted) {
    const Bytes fields = fields_of(SelectedWorld());
    for (const std::string& line : picked("")) {
        const std::string path = line.substr(0, line.find(" = "));
        EXPECT_THAT(pick(fields, path).lines, ElementsAre(line));
    }
}

}  // namespace
}  // namespace isotick::core
