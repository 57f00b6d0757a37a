// What a test of one's own says about a recording.

#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"
#include "support/skips_in_long_frames.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/gtest.hpp>
#include <isotick/harness/record.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::PrintToString;
using ::testing::StringMatchResultListener;

// What one instance leaves behind, the next one finds.
struct CountsInstances {
    static constexpr core::SimulationInfo kInfo{.name = "instances"};
    CountsInstances() { sum = instances()++; }
    static std::uint64_t& instances() {
        static std::uint64_t count = 0;
        return count;
    }
    void step(const core::Step&) { sum *= 3; }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(sum));
    }
    std::uint64_t sum = 0;
};

class BitIdentity : public ::testing::Test {
  protected:
    std::string record(const isotick_simulation_table& table) {
        RecordPlan plan;
        plan.path = folder_.file("s.isotick");
        plan.overwrite = true;
        plan.setup.players = table.info->usual_players;
        plan.ticks = 200;
        plan.inputs = InputSource::random;
        Progress progress;
        const auto recorded = run_record(plan, table, progress);
        EXPECT_FALSE(recorded.error) << describe(*recorded.error);
        return plan.path;
    }

    core::Result<ReplayReport> replay_with_a_long_frame() {
        const ReplayOptions options{.schedule = core::Schedule::parse("120x60hz, 1x101ms").value()};
        return replay(record(skips_), skips_, options);
    }

    const isotick_simulation_table& skips_ = core::simulation_table<tests::SkipsInLongFrames>();
    tests::ScratchFolder folder_;
};

TEST_F(BitIdentity, MatchesWhatReplaysAsRecorded) {
    EXPECT_THAT(replay(record(skips_), skips_), IsBitIdentical());
}

TEST_F(BitIdentity, ExplainsADivergenceByTickAndField) {
    StringMatchResultListener listener;
    EXPECT_FALSE(ExplainMatchResult(IsBitIdentical(), replay_with_a_long_frame(), &listener));
    EXPECT_THAT(
        listener.str(),
        AllOf(HasSubstr("differs in  counter (1 field); recorded → computed\n"),
              HasSubstr("when        tick 120; the same through tick 119\n"),
              HasSubstr("why         frame times: frame 120 took 101ms instead of 16.666666ms"),
              HasSubstr("    counter  7381 → 7260\n"), EndsWith("DIVERGED  at tick 120\n")));
}

TEST_F(BitIdentity, FailsAnExpectationWithTheReport) {
    EXPECT_NONFATAL_FAILURE(EXPECT_THAT(replay_with_a_long_frame(), IsBitIdentical()),
                            "DIVERGED  at tick 120");
    EXPECT_NONFATAL_FAILURE(EXPECT_THAT(replay_with_a_long_frame(), IsBitIdentical()),
                            "Expected: replays bit by bit as recorded\n  Actual: diverged, \n");
}

TEST_F(BitIdentity, CanBeNegated) {
    EXPECT_THAT(replay_with_a_long_frame(), Not(IsBitIdentical()));
    EXPECT_NONFATAL_FAILURE(
        EXPECT_THAT(replay(record(skips_), skips_), Not(IsBitIdentical())),
        "Expected: does not replay bit by bit as recorded\n  Actual: identical");
}

TEST_F(BitIdentity, SaysWhyARecordingCannotBeReplayed) {
    const auto report = replay(folder_.file("nothing.isotick"), skips_);
    EXPECT_THAT(report, Not(IsBitIdentical()));
    EXPECT_THAT(PrintToString(report),
                AllOf(HasSubstr("not replayed: "), HasSubstr("nothing.isotick")));
}

TEST_F(BitIdentity, RefusesARecordingOfAnotherSimulation) {
    const auto report = replay(record(skips_), SimulationName::chosen("spring"));
    EXPECT_THAT(PrintToString(report), AllOf(HasSubstr("not replayed: "), HasSubstr("'skips'")));
}

TEST_F(BitIdentity, ADivergenceThatIsAnotherAgainIsNondeterministic) {
    const auto& table = core::simulation_table<CountsInstances>();
    const auto report = replay(record(table), table);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result.verdict, Verdict::nondeterministic);
    EXPECT_THAT(describe(*report),
                HasSubstr("why         not found: this trial does not always give the same bits"));
}

TEST_F(BitIdentity, TakesTheNameOfAReferenceSimulation) {
    EXPECT_THAT(replay(record(*core::reference_simulations().front()),
                       SimulationName::recorded(core::reference_simulations().front()->info->name)),
                IsBitIdentical());
}

TEST_F(BitIdentity, TakesThePathOfAPlugIn) {
    const std::string path = record(core::simulation_table<tests::Faulty>());
    EXPECT_THAT(replay(path, SimulationName::chosen(ISOTICK_FAULTY)), IsBitIdentical());
    core::Settings environment;
    ASSERT_TRUE(environment.set_text("fault=build"));
    EXPECT_THAT(replay(path, SimulationName::chosen(ISOTICK_FAULTY), {.environment = environment}),
                Not(IsBitIdentical()));
}

TEST_F(BitIdentity, LoadsNoPlugInThatOnlyTheRecordingNames) {
    const std::string path = record(core::simulation_table<tests::Faulty>());
    const auto report = replay(path, SimulationName::recorded(ISOTICK_FAULTY));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, core::ErrorCode::usage);
    EXPECT_EQ(report.error().file, path);
}

TEST_F(BitIdentity, OfAnotherBuildIsToldWithoutOptionsOfTheProgram) {
    const auto& table = core::simulation_table<tests::Faulty>();
    core::Settings environment;
    ASSERT_TRUE(environment.set_text("fault=build"));
    const auto report = replay(record(table), table, {.environment = environment});
    ASSERT_TRUE(report);
    EXPECT_THAT(describe(*report), AllOf(HasSubstr("It is not the frame times"),
                                         Not(HasSubstr("--")), EndsWith("DIVERGED  at tick 20\n")));
}

class BitIdentityOfTrials : public BitIdentity {
  protected:
    core::Result<VerifyReport> verify_trials(const isotick_simulation_table& table) {
        VerifyOptions options;
        options.trials = 6;
        return verify(record(table), options, in_this_process(table));
    }
};

TEST_F(BitIdentityOfTrials, MatchesWhereAllAreIdentical) {
    EXPECT_THAT(verify_trials(core::simulation_table<tests::Faulty>()), IsBitIdentical());
}

TEST_F(BitIdentityOfTrials, ExplainsTheFirstThatFailed) {
    StringMatchResultListener listener;
    EXPECT_FALSE(ExplainMatchResult(IsBitIdentical(), verify_trials(skips_), &listener));
    EXPECT_THAT(listener.str(), AllOf(HasSubstr("\n              counter  2775 → 2701\n"),
                                      HasSubstr(" at tick 73\n"),
                                      EndsWith("  trial       1\n"
                                               "DIVERGED  5 of 6 trials identical\n")));
}

TEST_F(BitIdentityOfTrials, GivesTheReasonWhereNothingWasProven) {
    VerifyOptions options;
    options.trials = 1;
    const auto report = verify(record(skips_), options, in_this_process(skips_));
    StringMatchResultListener listener;
    EXPECT_FALSE(ExplainMatchResult(IsBitIdentical(), report, &listener));
    EXPECT_THAT(listener.str(), AllOf(HasSubstr("every frame ran exactly"),
                                      EndsWith("INCONCLUSIVE  1 of 1 trials identical\n")));
}

}  // namespace
}  // namespace isotick::harness
