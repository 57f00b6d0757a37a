// Verify: what it must catch, what it must not claim.

#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"
#include "support/skips_in_long_frames.hpp"

#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WorkerOptions verify_options() {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    return options;
}

class Verify : public ::testing::Test {
  protected:
    void record(const core::Settings& environment = {}, std::uint32_t hash_every = 1) {
        RecordPlan plan;
        plan.path = path();
        plan.overwrite = true;
        plan.setup.players = 1;
        plan.setup.environment = environment;
        plan.ticks = 300;
        plan.hash_every = hash_every;
        Progress progress;
        const auto recorded = run_record(plan, table_, progress);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    }

    VerifyReport verify(const core::Settings& environment, std::uint64_t trials = 8) {
        VerifyOptions options;
        options.trials = trials;
        options.environment = environment;
        const auto report = harness::verify(
            path(), options,
            in_worker_processes(SimulationName::chosen(ISOTICK_FAULTY), verify_options()));
        EXPECT_TRUE(report) << describe(report.error());
        return report.value_or(VerifyReport());
    }

    static core::Settings fault(const char* name) {
        core::Settings settings;
        EXPECT_TRUE(settings.set("fault", name));
        EXPECT_TRUE(settings.set("at", "77"));
        return settings;
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<tests::Faulty>();
};

TEST_F(Verify, ACleanSimulationIsIdentical) {
    record();
    const VerifyReport report = verify({});
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_EQ(report.trials, 8U);
    EXPECT_EQ(report.total.hashes_compared, 8U * 300);
    EXPECT_TRUE(report.failures.empty());
}

TEST_F(Verify, AnotherBuildDivergesAtItsTickUnderTheNominalScheduleAlready) {
    record();
    const VerifyReport report = verify(fault("build"));
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_EQ(report.trials, 1U);
    ASSERT_EQ(report.failures.size(), 1U);
    ASSERT_TRUE(report.failures[0].explanation);
    EXPECT_EQ(report.failures[0].explanation->ticks_done, 78U);
    EXPECT_FALSE(report.failures[0].explanation->recorded_side_runs);
}

TEST_F(Verify, ADivergenceThatIsNotTheSameAgainIsNondeterministic) {
    record();
    const VerifyReport report = verify(fault("process"));
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    ASSERT_FALSE(report.failures.empty());
    EXPECT_THAT(report.failures[0].result.reason, HasSubstr("at the same tick with another hash"));
    EXPECT_EQ(report.failures[0].result.divergence->computed.ticks_done, 78U);
}

TEST_F(Verify, AHashThatNeverChangesProvesNothing) {
    record(fault("constant"));
    const VerifyReport report = verify(fault("constant"));
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    EXPECT_THAT(report.reasons,
                ElementsAre(HasSubstr("hash never changed"), HasSubstr("inputs never mattered")));
}

TEST_F(Verify, InputsThatNeverMatterProveNothing) {
    record(fault("inputs-ignored"));
    const VerifyReport report = verify(fault("inputs-ignored"));
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    EXPECT_THAT(report.reasons, ElementsAre(HasSubstr("inputs never mattered")));
}

TEST_F(Verify, OneTickPerFrameInEveryTrialProvesNothing) {
    record();
    const VerifyReport report = verify({}, 1);
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    EXPECT_THAT(report.reasons, ElementsAre(HasSubstr("every frame ran exactly")));
}

TEST_F(Verify, AnExplicitScheduleIsNotJudgedByWhatItDoesNotVary) {
    record(fault("inputs-ignored"));
    VerifyOptions options;
    options.schedule = core::Schedule::parse("nominal").value();
    options.environment = fault("inputs-ignored");
    const auto report = harness::verify(path(), options, in_this_process(table_));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::identical);
    EXPECT_EQ(report->trials, 2U);
}

TEST_F(Verify, ACrashIsCountedAndTheOtherTrialsGoOn) {
    record();
    core::Settings environment = fault("abort");
    ASSERT_TRUE(environment.set("in", "step"));
    const VerifyReport report = verify(environment);
    EXPECT_EQ(report.verdict, Verdict::crashed);
    ASSERT_EQ(report.failures.size(), 1U);  // the nominal one: the others would do the same
    EXPECT_THAT(report.failures[0].result.reason, HasSubstr("in step of tick 77"));
}

TEST_F(Verify, ZeroTrialsAreRefused) {
    record();
    VerifyOptions options;
    options.trials = 0;
    const auto report = harness::verify(path(), options, in_this_process(table_));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, core::ErrorCode::usage);
}

TEST_F(Verify, InThisProcessGivesTheSameReport) {
    record();
    VerifyOptions options;
    options.trials = 8;
    const auto report = harness::verify(path(), options, in_this_process(table_));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, Verdict::identical);
    EXPECT_EQ(report->total.frames, verify({}).total.frames);
}

TEST(PlanTrial, DependsOnRootSeedSessionAndNumberAlone) {
    const core::Digest session{1, 2};
    const auto schedule = [&](std::uint64_t number, std::uint64_t seed, core::Digest digest,
                              const char* path) {
        return plan_trial(path, number, seed, digest, {}, {}).drive.schedule.to_string();
    };
    EXPECT_EQ(schedule(3, 7, session, "a"), schedule(3, 7, session, "b"));
    const std::set<std::string> distinct{schedule(3, 7, session, "a"), schedule(4, 7, session, "a"),
                                         schedule(3, 8, session, "a"), schedule(3, 7, {1, 3}, "a")};
    EXPECT_EQ(distinct.size(), 4U);
    EXPECT_EQ(schedule(0, 7, session, "a"), "nominal");
}

RecordPlan without_players(const std::string& path) {
    RecordPlan record;
    record.path = path;
    record.ticks = 300;
    record.inputs = InputSource::none;
    return record;
}

// What is cheapest to look into, and nearest to the cause.
TEST(VerifySeveralDivergences, ExplainsTheEarliest) {
    const tests::ScratchFolder folder;
    const auto& table = core::simulation_table<tests::SkipsInLongFrames>();
    const RecordPlan record = without_players(folder.file("s.isotick"));
    Progress progress;
    ASSERT_FALSE(run_record(record, table, progress).error);
    VerifyOptions options;
    options.trials = 40;
    options.seed = 2;
    const auto report = verify(record.path, options, in_this_process(table));
    ASSERT_TRUE(report) << describe(report.error());

    std::vector<std::uint64_t> ticks;
    std::vector<std::uint64_t> explained;
    for (const FailedTrial& failure : report->failures) {
        ticks.push_back(failure.result.divergence->computed.ticks_done);
        if (failure.explanation) {
            explained.push_back(ticks.back());
        }
    }
    const std::uint64_t earliest = *std::min_element(ticks.begin(), ticks.end());
    ASSERT_NE(ticks.front(), earliest) << "another seed is needed";
    EXPECT_THAT(explained, ElementsAre(earliest));
}

TEST(Explain, FindsTheExactTickAndPartBetweenStoredHashes) {
    const tests::ScratchFolder folder;
    const auto& table = core::simulation_table<tests::SkipsInLongFrames>();
    RecordPlan record = without_players(folder.file("s.isotick"));
    record.hash_every = 50;
    record.parts_every = 1000;
    Progress progress;
    ASSERT_FALSE(run_record(record, table, progress).error);

    TrialPlan plan;
    plan.recording = record.path;
    plan.drive.schedule = core::Schedule::parse("120x60hz, 1x101ms").value();
    const TrialRunner run = in_this_process(table);
    const TrialResult result = run_trial(plan, table, progress);
    ASSERT_TRUE(result.divergence);
    EXPECT_EQ(result.divergence->computed.ticks_done, 150U);
    EXPECT_EQ(result.divergence->last_agreed, 100U);

    const auto explanation = explain(plan, result, run, {});
    ASSERT_TRUE(explanation);
    EXPECT_TRUE(explanation->recorded_side_runs);
    EXPECT_EQ(explanation->ticks_done, 121U);  // tick 120, the first in the long frame
    EXPECT_THAT(explanation->parts, ElementsAre("counter"));
    EXPECT_EQ(explanation->context.frame, 120U);
    EXPECT_EQ(explanation->context.frame_time.nanoseconds, 101'000'000);
    EXPECT_EQ(explanation->context.tick_in_frame, 0U);
    EXPECT_EQ(explanation->context.idle_frames, 0U);
}

// Glitches in the first four ticks of a long frame, and leaves no trace.
struct Heals {
    static constexpr core::SimulationInfo kInfo{.name = "heals"};
    void begin_frame(core::FrameTime time) { left = time.nanoseconds > 100'000'000 ? 4 : 0; }
    void step(const core::Step& step) {
        counter += step.tick.value;
        glitch = left == 0 ? 0 : left--;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter), CEREAL_NVP(glitch));
    }
    std::uint64_t counter = 0;
    std::uint64_t glitch = 0;
    std::uint64_t left = 0;
};

TEST(VerifyPartHistory, HasEachStateInWhichAPartDiffers) {
    const tests::ScratchFolder folder;
    const auto& table = core::simulation_table<Heals>();
    const RecordPlan record = without_players(folder.file("s.isotick"));
    Progress progress;
    ASSERT_FALSE(run_record(record, table, progress).error);
    VerifyOptions options;
    options.schedule =
        core::Schedule::parse("20xnominal, 120ms, 10xnominal, 120ms, 500xnominal").value();
    const auto report = verify(record.path, options, in_this_process(table));
    ASSERT_TRUE(report) << describe(report.error());
    ASSERT_EQ(report->failures.size(), 1U);
    const auto& explanation = report->failures.front().explanation;
    ASSERT_TRUE(explanation && explanation->part_history);
    // Seven ticks fall into a long frame: 20 to 26, and 37 to 43.
    const PartHistory expected{{21, 300}, 1, {{"glitch", {{21, 24}, {38, 41}}}}, 1, 1};
    EXPECT_EQ(*explanation->part_history, expected);
}

}  // namespace
}  // namespace isotick::harness
