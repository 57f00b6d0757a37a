// Copies of the process, and the ways in which they end.

#include "system/copied_process.hpp"

#include <csignal>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

CopyEnd run(const std::function<std::string(Progress&)>& body, std::uint64_t hang_ms = 5'000) {
    Progress progress;
    return run_in_copy(progress, {.hang_ms = hang_ms, .tampered = true}, body).value();
}

TEST(CopiedProcess, AnswersAndLeavesTheOriginalAlone) {
    int value = 1;
    const CopyEnd end = run([&](Progress&) {
        value = 2;
        return std::string("answer");
    });
    EXPECT_TRUE(end.finished);
    EXPECT_EQ(end.answer, "answer");
    EXPECT_EQ(value, 1);
}

TEST(CopiedProcess, TellsWhatKilledItAndWhere) {
    const CopyEnd end = run([](Progress& progress) {
        progress.enter(Activity::stepping, core::Tick{17});
        std::raise(SIGKILL);
        return std::string();
    });
    EXPECT_FALSE(end.finished);
    EXPECT_FALSE(end.timed_out);
    EXPECT_EQ(end.reason, "killed by signal 9 (Killed) in step of tick 17");
}

TEST(CopiedProcess, ThatExitsHasNoAnswer) {
    const CopyEnd end = run([](Progress&) {
        _Exit(0);
        return std::string();
    });
    EXPECT_FALSE(end.finished);
    EXPECT_THAT(end.reason, HasSubstr("exit code 0"));
}

TEST(CopiedProcess, ThatHangsIsKilled) {
    const CopyEnd end = run(
        [](Progress& progress) {
            progress.enter(Activity::hashing, core::Tick{3});
            while (progress.cut_off == 0) {
            }
            return std::string();
        },
        100);
    EXPECT_TRUE(end.timed_out);
    EXPECT_EQ(end.reason, "no progress for 100 ms in hash after tick 3");
}

TEST(CopiedProcess, ItsStepsShowInTheProgressOfTheOriginal) {
    Progress progress;
    const auto end = run_in_copy(progress, {}, [](Progress& own) {
        own.enter(Activity::stepping, core::Tick{42});
        return std::string();
    });
    ASSERT_TRUE(end);
    EXPECT_EQ(progress.tick, 42U);
    EXPECT_GT(progress.beats, 0U);
}

}  // namespace
}  // namespace isotick::harness
