// What a trial of the axis `rollback` does, frame by frame.

#include <isotick/core/random.hpp>

#include <algorithm>

#include <gtest/gtest.h>
#include <run/rollback.hpp>

namespace isotick::harness {
namespace {

CourseSums sums_of(const RollbackOptions& options, std::uint64_t ticks) {
    const auto course = rollback_course(options, ticks, core::TickRate());
    EXPECT_TRUE(course) << describe(course.error());
    const auto sums = sum_up(*course, 2);
    EXPECT_TRUE(sums) << describe(sums.error());
    return *sums;
}

TEST(RollbackCourse, UndoesEachTickOnce) {
    core::Pcg32 random(1);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const std::uint64_t ticks = random.below(300);
        const CourseSums sums = sums_of({.depth = 1 + random.below(40), .seed = seed}, ticks);
        EXPECT_EQ(sums.final_steps, ticks) << seed;
        EXPECT_EQ(sums.undone, ticks) << seed;
        EXPECT_EQ(sums.open, 0U) << seed;
    }
}

TEST(RollbackCourse, GoesBackFromOneTickToItsDepth) {
    const auto course = rollback_course({.depth = 8, .seed = 3}, 1000, core::TickRate());
    ASSERT_TRUE(course);
    std::vector<bool> seen(9);
    for (const CourseFrame& frame : course->frames) {
        ASSERT_LE(frame.back, 8U);
        seen[frame.back] = true;
    }
    EXPECT_EQ(std::ranges::count(seen, true), 9);  // and frames that do not
}

TEST(RollbackCourse, GoesBackByItsDepthAfterSoManyTicks) {
    core::Pcg32 random(2);
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t depth = 1 + random.below(20);
        const std::uint32_t every = 1 + random.below(30);
        const std::uint64_t ticks = depth + random.below(100);
        const CourseSums sums = sums_of({.depth = depth, .every = every}, ticks);
        EXPECT_EQ(sums.final_steps, ticks);
        EXPECT_EQ(sums.undone, sums.loads * depth);
        EXPECT_EQ(sums.loads, 1 + (ticks - depth + every - 1) / every);
    }
}

TEST(RollbackCourse, KeepsOneSnapshotForEachTimeThatItGoesBack) {
    const CourseSums sums = sums_of({.depth = 16, .every = 1}, 500);
    EXPECT_EQ(sums.saves, sums.loads);
}

TEST(RollbackCourse, AlsoSavesWhereItDoesNotGoBack) {
    const CourseSums sums = sums_of({.depth = 16}, 500);
    EXPECT_GT(sums.saves, sums.loads + 50);
    EXPECT_LT(sums.saves, sums.loads + 200);
}

TEST(RollbackCourse, SavesOrReloadsEachTickAndRunsNoneTwice) {
    for (const RollbackPart part : {RollbackPart::saves, RollbackPart::reloads}) {
        const CourseSums sums = sums_of({.part = part}, 500);
        EXPECT_EQ(sums.saves, 500U);
        EXPECT_EQ(sums.loads, part == RollbackPart::reloads ? 500U : 0U);
        EXPECT_EQ(sums.undone, 0U);
        EXPECT_EQ(sums.final_steps, 500U);
    }
}

TEST(RollbackCourse, HasNoGuessesWhereTheyAreToBeRight) {
    const RollbackOptions right{.depth = 4, .right_guesses = true, .seed = 7};
    EXPECT_FALSE(rollback_course(right, 9, core::TickRate())->guess_seed);
    EXPECT_EQ(rollback_course({.depth = 4, .seed = 7}, 9, core::TickRate())->guess_seed, 7U);
}

TEST(RollbackCourse, IsRefusedWhereItWouldTakeTooLong) {
    const auto course = rollback_course({.depth = 256, .every = 1}, 10'000'000, core::TickRate());
    ASSERT_FALSE(course);
    EXPECT_EQ(course.error().code, core::ErrorCode::usage);
}

}  // namespace
}  // namespace isotick::harness
