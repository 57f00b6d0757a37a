// Parts are known by their names, wherever they stand.

#include "run/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Names = std::vector<std::string>;
using Hashes = std::vector<core::PartHash>;

std::vector<std::string> differing(const Names& a, const Hashes& of_a, const Names& b,
                                   const Hashes& of_b) {
    return differing_parts({a, of_a}, {b, of_b});
}

TEST(DifferingParts, AreThoseWithOtherHashes) {
    EXPECT_THAT(differing({"x", "y"}, {{1}, {2}}, {"x", "y"}, {{1}, {3}}), ElementsAre("y"));
    EXPECT_THAT(differing({"x", "y"}, {{1}, {2}}, {"x", "y"}, {{1}, {2}}), IsEmpty());
}

TEST(DifferingParts, OfPartsInAnotherOrderAreTheOrderAlone) {
    EXPECT_THAT(differing({"x", "y"}, {{1}, {2}}, {"y", "x"}, {{2}, {1}}),
                ElementsAre("the order of its parts"));
    EXPECT_THAT(differing({"x", "y"}, {{1}, {2}}, {"y", "x"}, {{2}, {7}}), ElementsAre("x"));
}

TEST(DifferingParts, ThatOnlyOneSideHasAreSaidToBeSo) {
    EXPECT_THAT(differing({"x", "y"}, {{1}, {2}}, {"y", "z"}, {{2}, {1}}),
                ElementsAre("x (only the first has it)", "z (only the second has it)"));
}

TEST(DifferingParts, AreNotKnownWhereNoHashesAreStored) {
    EXPECT_THAT(differing({"x", "y"}, {}, {"x", "y"}, {{1}, {3}}), IsEmpty());
}

TEST(ChangedParts, AreNamed) {
    EXPECT_EQ(changed_parts_text(Names{"x"}, Names{"x", "spin"}),
              "the simulation's state has a part that the recording lacks: spin");
    EXPECT_EQ(changed_parts_text(Names{"x", "y", "z"}, Names{"x"}),
              "the simulation's state lacks parts that the recording has: y, z");
    EXPECT_EQ(changed_parts_text(Names{"x"}, Names{"y"}),
              "the simulation's state has a part that the recording lacks: y, and lacks a part "
              "that the recording has: x");
    EXPECT_EQ(changed_parts_text(Names{"x", "y"}, Names{"y", "x"}),
              "the simulation's state has its parts in another order than the recording: y, x "
              "instead of x, y");
}

}  // namespace
}  // namespace isotick::harness
