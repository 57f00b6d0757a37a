// One trial in this process.

#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

class Trial : public ::testing::Test {
  protected:
    void SetUp() override {
        RecordPlan plan;
        plan.path = path_;
        plan.setup.players = 1;
        plan.ticks = 200;
        const auto recorded = run_record(plan, table_, progress_);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
        plan_.recording = path_;
    }

    TrialResult run() { return run_trial(plan_, table_, progress_); }

    void set_schedule(const char* text) {
        plan_.drive.schedule = core::Schedule::parse(text).value();
    }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<tests::Faulty>();
    Progress progress_;
    std::string path_ = folder_.file("s.isotick");
    TrialPlan plan_;
};

TEST_F(Trial, TheNominalScheduleTakesOneTickPerFrame) {
    const TrialResult result = run();
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(result.statistics.ticks, 200U);
    EXPECT_EQ(result.statistics.frames, 200U);
    EXPECT_EQ(result.statistics.least_ticks_per_frame, 1U);
    EXPECT_EQ(result.statistics.most_ticks_per_frame, 1U);
    EXPECT_EQ(result.statistics.hashes_compared, 200U);
}

TEST_F(Trial, AScheduleThatEndsRepeats) {
    set_schedule("3x20ms, 1x200ms");
    const TrialResult result = run();
    EXPECT_EQ(result.verdict, Verdict::identical);
    EXPECT_GT(result.statistics.schedule_repeats, 1U);
    EXPECT_EQ(result.statistics.most_ticks_per_frame, 12U);
}

TEST_F(Trial, AScheduleInWhichNoTimePassesIsInconclusiveNotEndless) {
    set_schedule("0ms, -5ms");
    plan_.most_frames = 5000;
    const TrialResult result = run();
    EXPECT_EQ(result.verdict, Verdict::inconclusive);
    EXPECT_THAT(result.reason, HasSubstr("5000 frames after 0 ticks"));
}

TEST_F(Trial, UntilStopsAfterThatTick) {
    plan_.until = core::Tick{49};
    EXPECT_EQ(run().statistics.ticks, 50U);
}

TEST_F(Trial, ATraceKeepsTheStatesAskedFor) {
    plan_.trace = StateRange{0, 2};
    const TrialResult result = run();
    ASSERT_EQ(result.trace.size(), 3U);
    EXPECT_EQ(result.trace[0].ticks_done, 0U);
    EXPECT_EQ(result.trace[2].ticks_done, 2U);
    EXPECT_EQ(result.trace[2].parts.size(), 2U);
    EXPECT_EQ(result.statistics.ticks, 2U);
}

TEST_F(Trial, WithoutInputsTheHashesDiffer) {
    plan_.inputs = without_inputs();
    EXPECT_EQ(run().verdict, Verdict::diverged);
}

TEST_F(Trial, AnotherSimulationIsRefusedBeforeAnyTick) {
    isotick_info info = *table_.info;
    info.name = "other";
    isotick_simulation_table other = table_;
    other.info = &info;
    const TrialResult result = run_trial(plan_, other, progress_);
    ASSERT_TRUE(result.refused);
    EXPECT_THAT(result.refused->message, HasSubstr("recording is of 'faulty'"));
    EXPECT_EQ(result.statistics.ticks, 0U);
}

TEST_F(Trial, AWrongPlayerCountIsRefused) {
    isotick_info info = *table_.info;
    info.least_players = info.usual_players = 3;
    isotick_simulation_table other = table_;
    other.info = &info;
    ASSERT_TRUE(run_trial(plan_, other, progress_).refused);
}

TEST_F(Trial, ACutRecordingReplaysAsAnUnfinishedOne) {
    const auto size = std::filesystem::file_size(path_);
    std::filesystem::resize_file(path_, size - size / 3);
    const TrialResult result = run();
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(result.statistics.ticks, 128U);
}

TEST_F(Trial, ADamagedRecordingReplaysItsIntactPrefixAndSaysSo) {
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path_));
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(size - size / 3);
    file.write("damaged", 7);
    file.close();
    const TrialResult result = run();
    EXPECT_EQ(result.verdict, Verdict::unreadable);
    EXPECT_THAT(result.reason, HasSubstr("128 ticks before it are intact and were replayed"));
    EXPECT_EQ(result.statistics.ticks, 128U);
}

TEST_F(Trial, AMissingFileIsUnreadable) {
    plan_.recording = folder_.file("nothing");
    EXPECT_EQ(run().verdict, Verdict::unreadable);
}

}  // namespace
}  // namespace isotick::harness
