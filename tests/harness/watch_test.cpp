// Fields written down tick by tick while a trial runs.

#include "run/field_watch.hpp"
#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/record.hpp>

#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Watch : public ::testing::Test {
  protected:
    void SetUp() override {
        RecordPlan recording;
        recording.path = plan_.recording = folder_.file("s.isotick");
        recording.setup.players = 1;
        recording.setup.seed = 1;
        recording.ticks = 40;
        ASSERT_FALSE(run_record(recording, table_, progress_).error);
    }

    void set_environment(const char* key, const char* value) {
        EXPECT_TRUE(plan_.environment.set(key, value));
    }

    // Runs the plan in this process.
    TrialResult run(const WatchFile& file, const isotick_simulation_table& table) {
        plan_.watch = file.request();
        return run_trial(plan_, table, progress_);
    }

    // The lines of the table: `0,2,-` where a field is missing.
    static std::vector<std::string> rows(const WatchFile& file) {
        std::vector<std::string> rows;
        const auto read = file.read([&](const WatchedTick& tick) -> core::Result<void> {
            std::string row = std::to_string(tick.tick);
            for (const auto& value : tick.values) {
                row += "," + value.value_or("-");
            }
            rows.push_back(row);
            return {};
        });
        EXPECT_TRUE(read) << describe(read.error());
        return rows;
    }

    static std::vector<UnseenField> unseen(const WatchFile& file) {
        return file.read([](const WatchedTick&) { return core::Result<void>(); }).value();
    }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<tests::Faulty>();
    Progress progress_;
    TrialPlan plan_;
};

TEST_F(Watch, HasTheStateAfterEveryTick) {
    plan_.until = core::Tick{3};
    const auto file = WatchFile::make({"counter", "nothing"}).value();
    EXPECT_EQ(run(file, table_).verdict, Verdict::identical);
    EXPECT_THAT(rows(file), ElementsAre("0,2,-", "1,3,-", "2,4,-", "3,5,-"));
}

TEST_F(Watch, ShowsTheTickOfAPlantedFault) {
    set_environment("fault", "build");
    const auto file = WatchFile::make({"counter"}).value();
    EXPECT_EQ(run(file, table_).verdict, Verdict::diverged);
    const auto table = rows(file);
    ASSERT_THAT(table, SizeIs(21));
    EXPECT_EQ(table[19], "19,21");
    EXPECT_EQ(table[20], "20,23");
}

TEST_F(Watch, DoesNotDependOnTheSchedule) {
    const auto nominal = WatchFile::make({"counter", "inputs"}).value();
    EXPECT_EQ(run(nominal, table_).verdict, Verdict::identical);
    plan_.drive.schedule = core::Schedule::parse("22ms, 1ms, 300ms").value();
    const auto driven = WatchFile::make({"counter", "inputs"}).value();
    EXPECT_EQ(run(driven, table_).verdict, Verdict::identical);
    EXPECT_THAT(rows(nominal), SizeIs(40));
    EXPECT_EQ(rows(driven), rows(nominal));
}

TEST_F(Watch, NamesFieldsThatWereNeverThereAndWhatIs) {
    const auto file = WatchFile::make({"counter", "count"}).value();
    EXPECT_EQ(run(file, table_).verdict, Verdict::identical);
    const auto missing = unseen(file);
    ASSERT_THAT(missing, SizeIs(1));
    EXPECT_EQ(missing[0].field, 1U);
    EXPECT_EQ(missing[0].missing, "there is no 'count' in the state, which has counter, inputs");
}

TEST_F(Watch, IsRefusedForMoreThanOneValue) {
    const auto file = WatchFile::make({"counter", ""}).value();
    const TrialResult result = run(file, table_);
    ASSERT_TRUE(result.refused);
    EXPECT_EQ(result.refused->code, core::ErrorCode::usage);
    EXPECT_THAT(result.refused->message,
                HasSubstr("'' is not one value after tick 0, but counter, inputs"));
}

TEST_F(Watch, IsRefusedForPathsThatAreNone) {
    for (const char* path : {"counter.", "counters[*]"}) {
        const auto file = WatchFile::make({path}).value();
        const TrialResult result = run(file, table_);
        ASSERT_TRUE(result.refused) << path;
        EXPECT_EQ(result.statistics.ticks, 0U);
    }
}

TEST_F(Watch, IsRefusedWhereTheSimulationDoesNotShowItsFields) {
    isotick_simulation_table blind = table_;
    isotick_info info = *table_.info;
    info.capabilities &= ~ISOTICK_HAS_FIELDS;
    blind.info = &info;
    const auto file = WatchFile::make({"counter"}).value();
    const TrialResult result = run(file, blind);
    ASSERT_TRUE(result.refused);
    EXPECT_THAT(result.refused->message, HasSubstr("does not show its fields"));
}

TEST_F(Watch, ThatFailsIsTheSimulationsCrash) {
    set_environment("fault", "throw");
    set_environment("in", "fields");
    const auto file = WatchFile::make({"counter"}).value();
    const TrialResult result = run(file, table_);
    EXPECT_EQ(result.verdict, Verdict::crashed);
    EXPECT_THAT(result.reason, HasSubstr("planted, in visit_fields after tick 20"));
    EXPECT_THAT(rows(file), SizeIs(20));
}

TEST_F(Watch, KeepsWhatWasBeforeACrash) {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    set_environment("fault", "abort");
    for (const auto& [call, ticks] : {std::pair("step", 20U), std::pair("hash", 21U)}) {
        set_environment("in", call);
        const auto file = WatchFile::make({"counter", "count"}).value();
        plan_.watch = file.request();
        const auto results = in_worker_processes(SimulationName::chosen(ISOTICK_FAULTY), options)(
            std::array{plan_}, Isolation::forked);
        ASSERT_TRUE(results) << describe(results.error());
        EXPECT_EQ(results->front().verdict, Verdict::crashed);
        const auto table = rows(file);
        ASSERT_THAT(table, SizeIs(ticks)) << call;
        EXPECT_EQ(table[19], "19,21,-");
        EXPECT_THAT(unseen(file), SizeIs(1));
    }
}

TEST_F(Watch, LeavesOutALineThatWasCut) {
    const auto file = WatchFile::make({"counter"}).value();
    std::ofstream(file.request().path) << "[0,\"2\"]\n[1,\"";
    EXPECT_THAT(rows(file), ElementsAre("0,2"));
}

TEST_F(Watch, OfAFileThatIsNoTableIsAnError) {
    for (const char* text : {"0,2\n", "[]\n", "[0,7]\n", "{}\n", "[[\n"}) {
        const auto file = WatchFile::make({"counter"}).value();
        std::ofstream(file.request().path) << text;
        const auto read = file.read([](const WatchedTick&) { return core::Result<void>(); });
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, core::ErrorCode::damaged);
    }
}

}  // namespace
}  // namespace isotick::harness
