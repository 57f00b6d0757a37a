// What becomes of each input is written down in few edits, which do exactly that.

#include "study/shrink_inputs.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::Tick;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kRelease = InputEditKind::release;
constexpr auto kHold = InputEditKind::hold;
constexpr auto kReplace = InputEditKind::replace;

InputEdit all(std::uint64_t first, std::uint64_t last, InputEditKind kind) {
    return {std::nullopt, Tick{first}, Tick{last}, kind, {}};
}

InputEdit of(std::uint32_t player, std::uint64_t first, std::uint64_t last, InputEditKind kind) {
    return {player, Tick{first}, Tick{last}, kind, {}};
}

TEST(InputGrid, IsEmptyWhereAllStaysAsRecorded) {
    EXPECT_THAT(InputGrid(2, 10).edits(10), IsEmpty());
}

TEST(InputGrid, NamesAllWhereAllAreEditedAlike) {
    InputGrid grid(2, 10);
    grid.edit_all(0, 4, kRelease);
    grid.edit_all(5, 10, kHold);
    EXPECT_THAT(grid.edits(10), ElementsAre(all(0, 3, kRelease), all(5, 9, kHold)));
}

TEST(InputGrid, NamesPlayersWhereTheyAreNot) {
    InputGrid grid(2, 10);
    grid.edit_all(0, 2, kRelease);
    for (const std::uint64_t tick : {2U, 3U}) {
        grid.edit(0, tick, kRelease);
        grid.edit(2, tick, kHold);
    }
    EXPECT_THAT(grid.edits(10), ElementsAre(all(0, 1, kRelease), of(0, 2, 3, kRelease),
                                            of(ISOTICK_WORLD, 2, 3, kHold)));
}

TEST(InputGrid, ReplacesEachInputByItsOwnBytes) {
    InputGrid grid(1, 10);
    grid.replace(0, 3, {1});
    grid.replace(0, 4, {1});
    EXPECT_TRUE(grid.stands(0, 3));
    EXPECT_THAT(grid.edits(10), ElementsAre(InputEdit{0, Tick{3}, Tick{3}, kReplace, {1}},
                                            InputEdit{0, Tick{4}, Tick{4}, kReplace, {1}}));
    grid.edit(0, 3, kRelease);
    EXPECT_FALSE(grid.stands(0, 3));
    EXPECT_EQ(grid.replaced(0, 3), nullptr);
}

TEST(InputGrid, EndsWhereItIsTold) {
    InputGrid grid(2, 10);
    grid.edit_all(2, 10, kRelease);
    EXPECT_THAT(grid.edits(5), ElementsAre(all(2, 4, kRelease)));
    EXPECT_THAT(grid.edits(2), IsEmpty());
}

// By which a runner tells what two candidates share.
TEST(InputGrid, HasTheSameEditsUpToWhereTwoDiffer) {
    InputGrid one(2, 10);
    one.edit_all(0, 4, kRelease);
    one.edit(1, 4, kHold);
    InputGrid other = one;
    other.edit_all(6, 10, kHold);
    one.edit(1, 5, kHold);
    EXPECT_EQ(cut_before(one.edits(10), Tick{5}), cut_before(other.edits(10), Tick{5}));
    EXPECT_EQ(cut_before(one.edits(10), Tick{5}), one.edits(5));
    EXPECT_NE(cut_before(one.edits(10), Tick{6}), cut_before(other.edits(10), Tick{6}));
    EXPECT_THAT(cut_before(one.edits(10), Tick{0}), IsEmpty());
}

}  // namespace
}  // namespace isotick::harness
