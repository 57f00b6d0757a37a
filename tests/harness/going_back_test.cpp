// Loops that go back in time: which visit of a tick is meant, what is counted, what is explained.

#include "piles/piles.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/harness/verify.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Twenty ticks, back to behind the twelfth, and on: ticks 12 to 19 are run twice.
constexpr const char* kBackOnce = "20xnominal, -133ms, nominal";

class GoingBack : public ::testing::Test {
  protected:
    void record(const char* simulation, std::uint64_t ticks = 400, std::uint32_t hash_every = 1) {
        table_ = core::find_simulation(simulation);
        RecordPlan record;
        record.path = plan_.recording = folder_.file("s.isotick");
        record.setup.players = table_->info->usual_players;
        record.ticks = ticks;
        record.hash_every = hash_every;
        record.overwrite = true;
        ASSERT_FALSE(run_record(record, *table_, progress_).error);
        plan_.drive.loop.kind = core::LoopKind::reversible;
    }

    TrialResult run(const char* schedule) {
        plan_.drive.schedule = core::Schedule::parse(schedule).value();
        return run_trial(plan_, *table_, progress_);
    }

    Explanation explained(const TrialResult& result) {
        const auto explanation = explain(plan_, result, in_this_process(*table_), {});
        EXPECT_TRUE(explanation) << describe(explanation.error());
        return explanation.value_or(Explanation());
    }

    VerifyReport verified(std::uint64_t trials) {
        VerifyOptions options;
        options.trials = trials;
        options.loops = {plan_.drive.loop};
        const TrialRunner run = in_this_process(*table_);
        options.shrink.run = without_branches(run);
        const auto report = verify(plan_.recording, options, run);
        EXPECT_TRUE(report) << describe(report.error());
        return report.value_or(VerifyReport());
    }

    tests::ScratchFolder folder_;
    Progress progress_;
    TrialPlan plan_;
    const isotick_simulation_table* table_ = nullptr;
};

TEST_F(GoingBack, StatesAreAddressedBySteps) {
    record("pile");
    plan_.trace = StateRange{19, 22};
    const TrialResult result = run(kBackOnce);
    std::vector<std::uint64_t> ticks;
    std::vector<std::uint64_t> steps;
    for (const StateRecord& state : result.trace) {
        ticks.push_back(state.ticks_done);
        steps.push_back(state.steps);
    }
    EXPECT_THAT(ticks, ElementsAre(19, 20, 13, 14));
    EXPECT_THAT(steps, ElementsAre(19, 20, 21, 22));
    EXPECT_FALSE(result.trace.at(1).rerun);
    EXPECT_EQ(result.trace.at(2).rerun, (Rerun{13, 20}));
    EXPECT_EQ(result.trace.at(2).context.back, 0U);
}

TEST_F(GoingBack, LoadsAndTheirDepthsAreCounted) {
    record("pile");
    const TrialResult result = run("20xnominal, -133ms, 30xnominal, 2x-17ms, 900xnominal");
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(result.statistics.state_loads, 3U);
    EXPECT_EQ(result.statistics.least_ticks_back, 1U);
    EXPECT_EQ(result.statistics.most_ticks_back, 8U);
    EXPECT_EQ(result.statistics.ticks_reached, 400U);
    EXPECT_EQ(result.statistics.ticks, 411U);
}

TEST_F(GoingBack, UntilATickMeansTheLastTimeItIsRun) {
    record("pile");
    plan_.until = core::Tick{12};
    EXPECT_EQ(run(kBackOnce).statistics.ticks, 21U);
    EXPECT_EQ(run("nominal").statistics.ticks, 13U);
    plan_.until = core::Tick{11};  // is not run again
    EXPECT_EQ(run(kBackOnce).statistics.ticks, 12U);
}

TEST_F(GoingBack, ChangedInputsAreTheSameTheSecondTime) {
    record("skirmish");
    const auto content_of = [this](std::uint64_t ticks_done) {
        plan_.trace = StateRange{ticks_done, ticks_done};
        return run(kBackOnce).trace.at(0).hash;
    };
    const core::StateHash recorded = content_of(20);
    plan_.inputs = without_inputs();
    plan_.inputs.front().first = core::Tick{5};
    plan_.inputs.front().last = core::Tick{15};
    const core::StateHash changed = content_of(20);
    EXPECT_NE(changed, recorded);
    EXPECT_EQ(content_of(28), changed);  // the same state, come to again
}

TEST_F(GoingBack, WhatGoesWrongTheSecondTimeIsSeenUntilThatTick) {
    record("fault:stale-cache");
    plan_.until = core::Tick{12};
    const TrialResult result = run(kBackOnce);
    ASSERT_TRUE(result.divergence);
    EXPECT_EQ(result.divergence->computed.ticks_done, 13U);
    EXPECT_EQ(result.divergence->computed.steps, 21U);
    EXPECT_EQ(result.divergence->last_agreed, 20U);
    EXPECT_EQ(result.divergence->last_agreed_steps, 20U);
}

TEST_F(GoingBack, AnExplanationIsOfTheVisitThatWentWrong) {
    record("fault:stale-cache");
    const TrialResult result = run(kBackOnce);
    ASSERT_TRUE(result.divergence);
    const Explanation explanation = explained(result);
    EXPECT_TRUE(explanation.recorded_side_runs);
    EXPECT_EQ(explanation.ticks_done, 13U);
    EXPECT_EQ(explanation.recorded, result.divergence->recorded);
    EXPECT_EQ(explanation.computed, result.divergence->computed.hash);
    EXPECT_EQ(explanation.rerun, (Rerun{13, 20}));
    EXPECT_EQ(explanation.last_agreed, 20U);
    EXPECT_TRUE(explanation.fields.known) << explanation.fields.unknown;
    EXPECT_GT(explanation.fields.differences.total, 0U);
    ASSERT_TRUE(explanation.provoking);
    EXPECT_THAT(*explanation.provoking, ElementsAre(OddFrames{20, 1, {-133'000'000}, 0, 8}));
    const std::string text = describe(ReplayReport{{}, std::nullopt, plan_, result, explanation});
    EXPECT_THAT(text, HasSubstr("tick 12, "));
    EXPECT_THAT(text, HasSubstr("frame 20 took -133ms instead of 16.666666ms, so the loop went"));
    EXPECT_THAT(
        text,
        HasSubstr("; its first run was as\n              recorded, then the loop went back from"));
}

TEST_F(GoingBack, TheExactVisitIsFoundBetweenStoredHashes) {
    record("fault:stale-cache", 400, 10);
    const TrialResult result = run("64xnominal, -133ms, nominal");
    ASSERT_TRUE(result.divergence);
    EXPECT_EQ(result.divergence->computed.ticks_done, 60U);
    const Explanation explanation = explained(result);
    EXPECT_EQ(explanation.ticks_done, 57U);  // 56 were done when it went on
    EXPECT_EQ(explanation.rerun, (Rerun{57, 64}));
    EXPECT_GT(explanation.fields.differences.total, 0U);
}

TEST_F(GoingBack, VerifyFindsItShrinksItAndSaysWhatLeaked) {
    record("fault:stale-cache");
    const VerifyReport report = verified(10);
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_GT(report.failures.size(), 5U);
    const auto shown = std::ranges::find_if(
        report.failures, [](const FailedTrial& failure) { return failure.shrinking.has_value(); });
    ASSERT_NE(shown, report.failures.end());
    EXPECT_LE(shown->plan.drive.schedule.items().size(), 3U)
        << shown->plan.drive.schedule.to_string();
    ASSERT_TRUE(shown->explanation && shown->explanation->provoking);
    EXPECT_TRUE(shown->explanation->rerun);
    EXPECT_THAT(describe(report), HasSubstr("\n  why         loading a snapshot: frame "));
}

TEST_F(GoingBack, VerifyReallyGoesBackAndIsSilentOfACleanSimulation) {
    record("pile");
    const VerifyReport report = verified(10);
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_GT(report.total.state_loads, 50U);
    EXPECT_GE(report.total.most_ticks_back, 8U);
}

TEST_F(GoingBack, WhereNothingWasLoadedNothingIsProved) {
    record("pile", 12);
    const VerifyReport report = verified(10);
    EXPECT_EQ(report.total.state_loads, 0U);
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    EXPECT_THAT(report.reasons, Contains(HasSubstr("no state was ever loaded")));
    plan_.drive.loop.kind = core::LoopKind::accumulator;
    EXPECT_THAT(verified(10).reasons, Not(Contains(HasSubstr("loaded"))));
}

}  // namespace
}  // namespace isotick::harness
