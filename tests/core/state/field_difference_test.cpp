#include "states.hpp"

#include <isotick/core/detail/field_difference.hpp>

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines(const FieldDifferences& found) {
    std::vector<std::string> texts;
    for (const FieldDifference& difference : found.listed) {
        texts.push_back(to_string(difference));
    }
    return texts;
}

// By both ways of comparing, which must agree.
template <class A, class B>
std::vector<std::string> differences(const A& before, const B& after) {
    const Bytes stream = fields_of(before);
    const auto found = compare_fields(stream, fields_of(after), 100).value();
    FieldComparison comparison(stream);
    write_fields(after, comparison.sink());
    EXPECT_EQ(lines(comparison.finish(100).value()), lines(found));
    EXPECT_EQ(found.listed.size(), found.total);
    return lines(found);
}

struct DifferingWorld {
    std::vector<Unit> units = std::vector<Unit>(20);
    std::map<std::string, int> scores = {{"ann", 1}, {"bob", 2}};
    std::vector<Entity> entities = std::vector<Entity>(3);
    std::vector<double> heights = {0.5, 1.5, 2.5};
    std::optional<Vec2> goal;
    std::variant<int, Vec2> mode = 3;
    std::string motto = "before";
    std::shared_ptr<int> leader;
    std::shared_ptr<int> follower;
    std::pair<std::uint64_t, bool> unnamed = {7, false};

    DifferingWorld() {
        for (std::uint32_t i = 0; i < 3; ++i) {
            entities[i].id = i + 10;
        }
        for (std::uint32_t i = 0; i < 20; ++i) {
            units[i].velocity = {0.1F, 0.1F};
        }
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(scores), CEREAL_NVP(entities), CEREAL_NVP(heights),
                CEREAL_NVP(goal), CEREAL_NVP(mode), CEREAL_NVP(motto), CEREAL_NVP(leader),
                CEREAL_NVP(follower), unnamed);
    }
};

TEST(FieldDifference, OfEqualStatesIsNone) {
    EXPECT_THAT(differences(DifferingWorld{}, DifferingWorld{}), IsEmpty());
}

TEST(FieldDifference, OfAFloatTellsItsBitsAndHowFarItIs) {
    DifferingWorld after;
    after.units[17].velocity.y = std::nextafter(0.1F, 1.0F);
    EXPECT_THAT(differences(DifferingWorld{}, after),
                ElementsAre("units[17].velocity.y  0.1 → 0.10000001  "
                            "(1 ulp, 0x3dcccccd → 0x3dccccce)"));
}

TEST(FieldDifference, OfZerosAndNaNsShowsTheirBits) {
    DifferingWorld before;
    DifferingWorld after;
    before.heights = {0.0, 1.0, -1e-320};
    after.heights = {-0.0, std::numeric_limits<double>::quiet_NaN(), 1e-320};
    EXPECT_THAT(differences(before, after),
                ElementsAre("heights[0]  0 → -0  (0 ulp, 0x0000000000000000 → 0x8000000000000000)",
                            "heights[1]  1 → nan  (0x3ff0000000000000 → 0x7ff8000000000000)",
                            "heights[2]  -1e-320 → 1e-320  "
                            "(4048 ulp, 0x80000000000007e8 → 0x00000000000007e8)"));
}

TEST(FieldDifference, OfContainersOfDifferentLengthTellsWhereTheyPart) {
    DifferingWorld after;
    after.units.insert(after.units.begin() + 8, Unit{99, {}, false, Mood::calm});
    after.heights.pop_back();
    EXPECT_THAT(differences(DifferingWorld{}, after),
                ElementsAre("units: 20 → 21 elements, first difference at [8]",
                            "heights: 3 → 2 elements, first difference at [2]"));
}

TEST(FieldDifference, OfContainersOfDifferentLengthCountsWhatDiffersInThem) {
    DifferingWorld after;
    after.heights = {0.5, 9, 2.5, 7, 8};
    after.units[3].stunned = true;
    after.units[4].velocity = {2, 2};
    after.units.pop_back();
    const auto found = compare_fields(fields_of(DifferingWorld{}), fields_of(after), 100).value();
    EXPECT_EQ(found.total, 2U);
    EXPECT_EQ(found.values, (1U + 2U) + (3U + 1U));
}

TEST(FieldDifference, MatchesMapElementsByKey) {
    DifferingWorld after;
    after.scores = {{"abe", 5}, {"ann", 1}, {"bob", 3}};
    EXPECT_THAT(differences(DifferingWorld{}, after),
                ElementsAre("scores[\"bob\"]  2 → 3", "scores[\"abe\"]  is new: 5"));
    EXPECT_THAT(differences(after, DifferingWorld{}),
                ElementsAre("scores[\"abe\"]  is gone, was 5", "scores[\"bob\"]  3 → 2"));
}

TEST(FieldDifference, MatchesEntitiesByTheirKey) {
    DifferingWorld after;
    after.entities[2].velocity.x = 2;
    after.entities.erase(after.entities.begin());
    after.entities.push_back({{77, {}, false, Mood::calm}});
    EXPECT_THAT(differences(DifferingWorld{}, after),
                ElementsAre("entities[id=10]  is gone, was {…}",
                            "entities[id=12].velocity.x  0 → 2  "
                            "(0x00000000 → 0x40000000)",
                            "entities[id=77]  is new: {…}"));
}

TEST(FieldDifference, ShowsEnumsByNameAndBools) {
    DifferingWorld after;
    after.units[3].mood = Mood::angry;
    after.units[4].mood = static_cast<Mood>(9);
    after.units[5].stunned = true;
    EXPECT_THAT(differences(DifferingWorld{}, after),
                ElementsAre("units[3].mood  calm (0) → angry (2)", "units[4].mood  calm (0) → 9",
                            "units[5].stunned  false → true"));
}

TEST(FieldDifference, OfOptionalsVariantsAndTextShowsBoth) {
    DifferingWorld after;
    after.goal = Vec2{1, 2};
    after.mode = Vec2{3, 4};
    after.motto = "after\n";
    EXPECT_THAT(differences(DifferingWorld{}, after),
                ElementsAre("goal  none → {…}", "mode  alternative 0: 3 → alternative 1: {…}",
                            "motto  \"before\" → \"after\\n\"  "
                            "(first difference at [0])"));
}

TEST(FieldDifference, OfSharedPointersTellsWhomTheyShare) {
    DifferingWorld before;
    before.leader = std::make_shared<int>(1);
    before.follower = before.leader;
    DifferingWorld after = before;
    after.follower = std::make_shared<int>(1);
    EXPECT_THAT(differences(before, after), ElementsAre("follower  shared object 1 → its own 1"));
}

TEST(FieldDifference, OfValuesWithoutNamesCountsThem) {
    DifferingWorld after;
    after.unnamed.first = 8;
    const auto found = compare_fields(fields_of(DifferingWorld{}), fields_of(after), 1).value();
    ASSERT_EQ(found.listed.size(), 1U);
    EXPECT_EQ(found.listed[0].path, "9.first");
    EXPECT_EQ(found.kinds[found.listed[0].field_kind].part, "state");
}

TEST(FieldDifference, NamesThePartAndStopsAtTheLimit) {
    DifferingWorld after;
    for (Unit& unit : after.units) {
        unit.id += 1;
    }
    const auto found = compare_fields(fields_of(DifferingWorld{}), fields_of(after), 3).value();
    EXPECT_EQ(found.total, 20U);
    ASSERT_EQ(found.listed.size(), 3U);
    EXPECT_EQ(found.listed[2].path, "units[2].id");
    EXPECT_EQ(found.kinds[found.listed[2].field_kind].part, "units");
}

struct TwoParts {
    std::array<int, 6> first{};
    std::array<int, 4> second{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(first), CEREAL_NVP(second));
    }
};

TEST(FieldDifference, CountsAndListsEachKind) {
    const TwoParts after{{1, 1, 1, 1, 1, 1}, {0, 2, 2, 2}};
    const auto found = compare_fields(fields_of(TwoParts{}), fields_of(after), 2).value();
    EXPECT_EQ(found.total, 9U);
    ASSERT_EQ(found.kinds.size(), 2U);
    EXPECT_EQ(found.kinds[0].path, "first[*]");
    EXPECT_EQ(found.kinds[0].part, "first");
    EXPECT_EQ(found.kinds[0].total, 6U);
    EXPECT_EQ(found.kinds[1].path, "second[*]");
    EXPECT_EQ(found.kinds[1].total, 3U);
    EXPECT_THAT(lines(found), ElementsAre("first[0]  0 → 1", "first[1]  0 → 1", "second[1]  0 → 2",
                                          "second[2]  0 → 2"));
}

TEST(FieldDifference, KindsLeaveOutPlacesAndKeysAtAnyDepth) {
    DifferingWorld after;
    after.units[3].velocity.x = 1;
    after.units[4].velocity.x = 1;
    after.scores["bob"] = 7;
    after.entities[1].velocity.y = 1;
    const auto found = compare_fields(fields_of(DifferingWorld{}), fields_of(after), 2).value();
    std::vector<std::string> kinds;
    for (const FieldKind& kind : found.kinds) {
        kinds.push_back(kind.path);
    }
    EXPECT_THAT(kinds, ElementsAre("units[*].velocity.x", "scores[*]", "entities[*].velocity.y"));
}

struct OlderFields {
    int a = 1;
    int b = 2;
    float c = 3;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b), CEREAL_NVP(c));
    }
};
struct NewerFields {
    int a = 1;
    float c = 4;
    double b = 2;
    bool d = true;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(c), CEREAL_NVP(b), CEREAL_NVP(d));
    }
};

TEST(FieldDifference, OfTwoBuildsNamesMembersThatCameAndWentAndChangedType) {
    EXPECT_THAT(differences(OlderFields{}, NewerFields{}),
                ElementsAre("b  2 → 2  (i32 → f64)", "c  3 → 4  (0x40400000 → 0x40800000)",
                            "d  is new: true"));
}

TEST(FieldComparison, KeepsOnlyWhatDiffers) {
    One<std::vector<Particle>> before{std::vector<Particle>(100'000)};
    One<std::vector<Particle>> after = before;
    after.value[70'000].life = 1;
    const Bytes stream = fields_of(before);
    FieldComparison comparison(stream);
    write_fields(after, comparison.sink());
    EXPECT_LE(comparison.kept(), 8192U);
    EXPECT_THAT(lines(comparison.finish(9).value()), ElementsAre("value[70000].life  0 → 1"));
}

}  // namespace
}  // namespace isotick::core
