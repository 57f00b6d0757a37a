// Settings that must not matter: which trials have them, and what is said of one that does.

#include "support/scratch_folder.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/verify.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kLongFrame = 100'000'000;

// Lets the number of workers into its state from tick 30 on, and long frames at any time.
struct Workers {
    static constexpr core::SimulationInfo kInfo{.name = "workers"};

    explicit Workers(const core::SimulationSetup& setup)
        : log(setup.config.find("log") || setup.environment.find("log")),
          workers(core::take_setting(setup.config.number("workers", 1, 1, 64))),
          helpers(core::take_setting(setup.environment.number("helpers", 0, 0, 64))) {}

    void begin_frame(core::FrameTime time) { long_ = time.nanoseconds > kLongFrame; }
    void step(const core::Step& step) {
        counter += step.tick.value;
        shared += step.tick.value >= 30 ? workers + helpers : 1;
        frames += long_ ? 1 : 0;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter), CEREAL_NVP(shared), CEREAL_NVP(frames));
    }

    bool log;
    std::uint64_t workers;
    std::uint64_t helpers;
    std::uint64_t counter = 0;
    std::uint64_t shared = 0;
    std::uint64_t frames = 0;
    bool long_ = false;
};

class Vary : public ::testing::Test {
  protected:
    void SetUp() override {
        RecordPlan plan;
        plan.path = path();
        plan.ticks = 100;
        plan.inputs = InputSource::none;
        plan.hash_every = 20;
        ASSERT_TRUE(plan.setup.config.set("workers", "1"));
        Progress progress;
        ASSERT_FALSE(run_record(plan, table_, progress).error);
    }

    core::Result<VerifyReport> verify(std::vector<AxisValue> settings,
                                      const char* schedule = "60hz") {
        VerifyOptions options;
        options.vary = std::move(settings);
        options.schedule = core::Schedule::parse(schedule).value();
        return harness::verify(path(), options, in_this_process(table_));
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<Workers>();
};

std::vector<std::string> varied_kinds(const FieldReport& report) {
    std::vector<std::string> paths;
    for (const core::FieldKind& kind : report.differences.kinds) {
        paths.push_back(kind.path);
    }
    return paths;
}

void expect_found(const core::Result<VerifyReport>& report, const AxisValue& setting) {
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::diverged);
    const FailedTrial& failure = report->failures.at(0);
    EXPECT_EQ(failure.number, 1U);
    EXPECT_EQ(failure.plan.drive.schedule, core::Schedule::nominal());
    EXPECT_THAT(failure.plan.drive.axes, ElementsAre(setting));
    ASSERT_TRUE(failure.explanation);
    EXPECT_EQ(failure.explanation->ticks_done, 31U);
    EXPECT_THAT(failure.explanation->provoking_axes, ElementsAre(setting));
    EXPECT_THAT(failure.explanation->parts, ElementsAre("shared"));
    EXPECT_THAT(varied_kinds(failure.explanation->fields), ElementsAre("shared"));
}

TEST_F(Vary, AConfigThatMattersIsFoundAtItsTickAndField) {
    const AxisValue setting{"config.workers", "4"};
    expect_found(verify({setting}), setting);
}

TEST_F(Vary, AnEnvironmentThatMattersIsFoundAtItsTickAndField) {
    const AxisValue setting{"environment.helpers", "4"};
    expect_found(verify({setting}), setting);
}

TEST_F(Vary, SettingsThatDoNotMatterAreIdentical) {
    const auto report = verify({{"config.log", "a"}, {"environment.log", "b"}});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::identical);
    EXPECT_EQ(report->trials, 6U);  // nominal and 60hz: as usual, with the one, with the other
    EXPECT_THAT(report->failures, IsEmpty());
}

TEST_F(Vary, ASettingThatNobodyLooksAtProvesNothing) {
    const auto report = verify({{"config.log", "a"}, {"environment.wrokers", "2"}});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::inconclusive);
    EXPECT_THAT(report->reasons, ElementsAre("the simulation never read environment.wrokers: "
                                             "varying it proves nothing"));
}

TEST_F(Vary, ASettingThatIsOnlyLookedAtElsewhereProvesNothing) {
    const auto report = verify({{"config.helpers", "2"}});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::inconclusive);
    EXPECT_THAT(report->reasons, ElementsAre(HasSubstr("never read config.helpers")));
}

// A table of C cannot say, and is not accused.
TEST_F(Vary, ASettingOfASimulationThatCountsNoReadsIsNotDoubted) {
    isotick_info info = *table_.info;
    info.capabilities &= ~ISOTICK_COUNTS_READS;
    isotick_simulation_table silent = table_;
    silent.info = &info;
    VerifyOptions options;
    options.vary = {{"environment.wrokers", "2"}};
    options.schedule = core::Schedule::parse("60hz").value();
    EXPECT_EQ(harness::verify(path(), options, in_this_process(silent))->verdict,
              Verdict::identical);
}

TEST_F(Vary, ASettingIsNotBlamedForTheSchedule) {
    const auto report = verify({{"config.log", "a"}}, "50x60hz, 101ms");
    ASSERT_TRUE(report);
    ASSERT_EQ(report->failures.size(), 2U);
    TrialPlan plan = report->failures[1].plan;
    EXPECT_EQ(plan.drive.axes.size(), 1U);
    const auto explained =
        explain(plan, report->failures[1].result, in_this_process(table_), {}).value();
    EXPECT_EQ(explained.ticks_done, 51U);
    EXPECT_THAT(explained.provoking_axes, IsEmpty());
}

TEST_F(Vary, ASettingThatIsRefusedIsNamedBeforeAnyWork) {
    std::size_t ticks = 0;
    VerifyOptions options;
    options.vary = {{"config.workers", "2"}, {"config.workers", "many"}};
    const TrialRunner run = in_this_process(table_);
    const auto counting = [&](std::span<const TrialPlan> plans, Isolation isolation) {
        auto results = run(plans, isolation);
        for (const TrialResult& result : *results) {
            ticks += result.statistics.ticks;
        }
        return results;
    };
    const auto report = harness::verify(path(), options, counting);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, core::ErrorCode::usage);
    EXPECT_THAT(report.error().message, HasSubstr("config.workers=many: "));
    EXPECT_EQ(ticks, 0U);
}

TEST_F(Vary, TheNominalScheduleRunsWithEachSettingHoweverFewTrialsThereAre) {
    VerifyOptions options;
    options.trials = 1;
    options.vary = {{"config.log", "a"}, {"config.log", "b"}};
    EXPECT_EQ(harness::verify(path(), options, in_this_process(table_))->trials, 3U);
}

TEST(PlanTrial, RunsTheNominalScheduleWithEachSettingAndThenTheOthersInTurn) {
    VerifyOptions options;
    options.vary = {{"config.workers", "2"}, {"config.workers", "4"}};
    std::string values;
    for (std::uint64_t number = 0; number < 8; ++number) {
        const TrialPlan plan = plan_trial("a", number, 7, {1, 2}, {}, options);
        values += (plan.drive.axes.empty() ? "-" : plan.drive.axes.front().value) +
                  (plan.drive.schedule == core::Schedule::nominal() ? "n " : "r ");
    }
    EXPECT_EQ(values, "-n 2n 4n -r 2r 4r -r 2r ");
}

TEST(PlanTrial, VariesADrawnAxisAloneWhateverSettingsThereAre) {
    VerifyOptions options;
    options.vary = {{"config.workers", "2"}};
    options.perturb = {"heap", "stack", "environment-size", "clock"};
    for (std::uint64_t i = 0; i < options.perturb.size(); ++i) {
        const TrialPlan plan = plan_trial("a", 3 + i, 7, {1, 2}, {}, options);
        ASSERT_EQ(plan.drive.axes.size(), 1U) << i;
        EXPECT_EQ(plan.drive.axes.front().axis, options.perturb[i]);
    }
}

TEST(PlanTrial, HasTheSameSchedulesWhateverIsVaried) {
    VerifyOptions options;
    const auto usual = plan_trial("a", 5, 7, {1, 2}, {}, options).drive.schedule;
    options.vary = {{"environment.workers", "2"}};
    EXPECT_EQ(plan_trial("a", 5, 7, {1, 2}, {}, options).drive.schedule, usual);
}

}  // namespace
}  // namespace isotick::harness
