// Which courses can be run, and what they come to.

#include "random_course.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>
#include <isotick/harness/detail/course.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

// Ticks 0 to 9; back to tick 6 after tick 8.
Course rollback() {
    return tests::one_rollback(10, 8, 3, 2);
}

std::string refusal(const Course& course, std::uint32_t players = 2) {
    const auto sums = sum_up(course, players);
    return sums ? "none" : describe(sums.error());
}

TEST(Course, IsSummedUp) {
    const auto sums = sum_up(rollback(), 2);
    ASSERT_TRUE(sums) << describe(sums.error());
    EXPECT_EQ(*sums, (CourseSums{.ticks_done = 10,
                                 .steps = 13,
                                 .final_steps = 10,
                                 .undone = 3,
                                 .open = 0,
                                 .saves = 3,
                                 .loads = 1}));
}

TEST(Course, MayEndOnGuesses) {
    Course course = rollback();
    course.steps.back() = {true, false};
    course.first_tick = 100;
    const auto sums = sum_up(course, 2);
    ASSERT_TRUE(sums) << describe(sums.error());
    EXPECT_EQ(sums->final_steps, 9U);
    EXPECT_EQ(sums->open, 1U);
    EXPECT_EQ(sums->ticks_done, 110U);
}

TEST(Course, IsRefusedWhereFramesAndStepsDoNotAddUp) {
    Course course = rollback();
    course.steps.pop_back();
    EXPECT_THAT(refusal(course), HasSubstr("frame 10 has more steps than the 12"));
    course.steps.insert(course.steps.end(), 2, {});
    EXPECT_THAT(refusal(course), HasSubstr("its frames have 13 steps, but it lists 14"));
}

TEST(Course, IsRefusedWhereItGoesBackTooFar) {
    Course course = rollback();
    course.frames[9].back = 10;
    EXPECT_THAT(refusal(course), HasSubstr("frame 9 goes back 10 ticks, but only 9 were run"));
    course.frames[9].back = 4;
    EXPECT_THAT(refusal(course), HasSubstr("to tick 5, of which no snapshot is kept"));
    course.steps[5].saves = true;
    EXPECT_THAT(refusal(course), HasSubstr("to tick 5 and undoes tick 5, whose step was final"));
}

TEST(Course, IsRefusedWhereATickWasRunAgainWithoutASnapshot) {
    Course course = rollback();
    course.frames[10].back = 2;
    EXPECT_THAT(refusal(course),
                HasSubstr("frame 10 goes back 2 ticks to tick 7, of which no snapshot is kept"));
}

TEST(Course, IsRefusedWhereAFinalTickStandsOnAGuess) {
    Course course = rollback();
    course.steps[7].final = true;
    EXPECT_THAT(refusal(course), HasSubstr("step 7 is final, but the tick before it is neither"));
}

TEST(Course, IsRefusedForGuessesThatDoNotFit) {
    Course course = rollback();
    EXPECT_EQ(refusal(course), "none");
    EXPECT_THAT(refusal(course, 1), HasSubstr("guess 1 is for player 1, but the session has 1"));
    course.guesses[1].player = ISOTICK_WORLD;
    EXPECT_EQ(refusal(course), "none");
    course.guesses[0].player = ISOTICK_WORLD;
    EXPECT_THAT(refusal(course), HasSubstr("guess 1 does not come behind"));
    course.guesses[1].step = 13;
    EXPECT_THAT(refusal(course), HasSubstr("guess 1 is for a step that there is not"));
    course.guesses[1].step = 12;
    course.guesses[1].bytes.emplace(ISOTICK_LONGEST_INPUT + 1);
    EXPECT_THAT(refusal(course), HasSubstr("guess 1 is longer than an input may be"));
}

TEST(Course, IsRefusedForAnAlphaThatNoFrameHas) {
    for (const double alpha : {1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
        Course course = rollback();
        course.frames[3].alpha = alpha;
        EXPECT_THAT(refusal(course), HasSubstr("frame 3 is rendered at an alpha")) << alpha;
    }
}

class CourseFile : public ::testing::Test {
  protected:
    void write(const std::string& bytes) const {
        std::ofstream(path_, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] std::string bytes() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    tests::ScratchFolder folder_;
    const std::string path_ = folder_.file("course");
};

TEST_F(CourseFile, IsReadAsItWasWritten) {
    Course course = rollback();
    course.first_tick = 7;
    course.guesses[1].bytes = {1, 2, 3};
    course.frames[2].frame_time.nanoseconds = -5;
    ASSERT_TRUE(write_course(path_, course));
    EXPECT_EQ(read_course(path_), course);
}

TEST_F(CourseFile, OfAnHourIsSmall) {
    const Course course = tests::lockstep_course(108'000);  // two frames each
    ASSERT_TRUE(write_course(path_, course));
    EXPECT_LT(std::filesystem::file_size(path_), 6'000'000U);
    EXPECT_EQ(read_course(path_)->frames.size(), 216'000U);
}

TEST_F(CourseFile, IsRefusedWhereverItIsCut) {
    ASSERT_TRUE(write_course(path_, rollback()));
    const std::string whole = bytes();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write(whole.substr(0, size));
        const auto read = read_course(path_);
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, core::ErrorCode::damaged);
        EXPECT_EQ(read.error().file, path_);
    }
    write(whole + "x");
    EXPECT_FALSE(read_course(path_));
}

// Whatever is read can be summed up or is refused: nothing else happens.
TEST_F(CourseFile, MayHoldAnything) {
    ASSERT_TRUE(write_course(path_, rollback()));
    const std::string whole = bytes();
    core::Pcg32 random(5, 6);
    std::uint64_t refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string changed = whole;
        changed[15 + random.next() % (whole.size() - 15)] = static_cast<char>(random.next());
        write(changed);
        const auto read = read_course(path_);
        refused += !read || !sum_up(*read, 2) ? 1U : 0U;
    }
    EXPECT_GT(refused, 500U);
}

TEST_F(CourseFile, IsNoStateToJoinBy) {
    ASSERT_TRUE(write_course(path_, rollback()));
    const auto state = read_join_state(path_);
    ASSERT_FALSE(state);
    EXPECT_THAT(describe(state.error()), HasSubstr("is not an isotick join state file"));
    const JoinState saved{17, {std::byte{1}, std::byte{2}}};
    ASSERT_TRUE(write_join_state(path_, saved));
    EXPECT_EQ(read_join_state(path_), saved);
    EXPECT_FALSE(read_course(path_));
    EXPECT_THAT(describe(read_course(folder_.file("none")).error()), HasSubstr("none"));
}

}  // namespace
}  // namespace isotick::harness
