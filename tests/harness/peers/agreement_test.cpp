// What a test of one's own says about the peers of a session.

#include "support/scratch_folder.hpp"

#include <isotick/core/detail/reference.hpp>
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
using ::testing::StartsWith;
using ::testing::StringMatchResultListener;

class Agreement : public ::testing::Test {
  protected:
    core::Result<LockstepReport> peers_of(const char* simulation, const char* plan) {
        const isotick_simulation_table& table = *core::find_reference_simulation(simulation);
        return peers_of(table, plan, in_this_process(table));
    }

    core::Result<LockstepReport> peers_of(const isotick_simulation_table& table, const char* plan,
                                          const TrialRunner& run) {
        RecordPlan record;
        record.path = folder_.file("s.isotick");
        record.overwrite = true;
        record.setup.players = 3;
        record.ticks = 150;
        Progress progress;
        const auto recorded = run_record(record, table, progress);
        EXPECT_FALSE(recorded.error) << describe(*recorded.error);
        LockstepOptions options;
        options.plan = parse_lockstep_plan(plan).value();
        options.trials = 3;
        return run_lockstep(record.path, options, run);
    }

    core::Result<LockstepReport> peers_that_agree() {
        return peers_of("skirmish", "rollback; 3 peers; network awful");
    }
    core::Result<LockstepReport> peers_that_part() {
        return peers_of("control:alpha", "lockstep; 3 peers; network awful");
    }

    tests::ScratchFolder folder_;
};

TEST_F(Agreement, MatchesPeersThatAgree) {
    EXPECT_THAT(peers_that_agree(), AllPeersAgree());
    EXPECT_THAT(peers_that_part(), Not(AllPeersAgree()));
}

TEST_F(Agreement, ExplainsWhoPartedByTickAndField) {
    StringMatchResultListener listener;
    EXPECT_FALSE(ExplainMatchResult(AllPeersAgree(), peers_that_part(), &listener));
    EXPECT_THAT(listener.str(), AllOf(HasSubstr("  when        peer "),
                                      HasSubstr(" the offline replay's state there\n"),
                                      HasSubstr("differs in  units (500 fields); "),
                                      HasSubstr("reproduce   exactly the plan 'lockstep; "),
                                      HasSubstr("most_fields sets"), Not(HasSubstr("--fields"))));
    EXPECT_THAT(listener.str(), HasSubstr("\nDIVERGED  "));
    EXPECT_THAT(listener.str(), EndsWith(" failed\n"));
}

// As where the second of the clock changes only then.
TEST_F(Agreement, IsNotAskedOfAPeerThatDiffersOnlyOnceItsFieldsAreLookedFor) {
    const isotick_simulation_table& table = *core::find_reference_simulation("control:alpha");
    const TrialRunner plain = in_this_process(table);
    bool is_later = false;
    const TrialRunner run = [&](std::span<const TrialPlan> plans, Isolation isolation) {
        return plain(plans, isolation).map([&](std::vector<TrialResult>&& results) {
            for (std::size_t i = 0; i < plans.size(); ++i) {
                is_later = is_later || !plans[i].dumps.empty();
                if (is_later && results[i].divergence) {
                    results[i].divergence->computed.hash.value ^= 1;
                }
                for (StateRecord& state : results[i].trace) {
                    state.hash.value ^= is_later && plans[i].course ? 1U : 0U;
                }
            }
            return std::move(results);
        });
    };
    const auto report = peers_of(table, "lockstep; 3 peers; network awful", run);
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_EQ(report->verdict, Verdict::nondeterministic);
    EXPECT_TRUE(is_later);
}

TEST_F(Agreement, FailsAnExpectationWithTheReport) {
    EXPECT_NONFATAL_FAILURE(EXPECT_THAT(peers_that_part(), AllPeersAgree()),
                            "Expected: has peers that agree with the offline replay bit by bit\n"
                            "  Actual: diverged, \n");
    EXPECT_NONFATAL_FAILURE(
        EXPECT_THAT(peers_that_agree(), Not(AllPeersAgree())),
        "Expected: has peers that do not agree with the offline replay bit by bit\n"
        "  Actual: identical");
}

TEST_F(Agreement, SaysWhyASessionCannotBeRun) {
    const auto report = peers_of("skirmish", "rollback; 3 peers; kill 7@1s");
    EXPECT_THAT(report, Not(AllPeersAgree()));
    EXPECT_THAT(PrintToString(report), StartsWith("not replayed: "));
}

TEST_F(Agreement, IsDescribedAsTheProgramDoes) {
    const auto report = peers_of("skirmish", "lockstep; 3 peers; network awful; leave 2@1s");
    ASSERT_TRUE(report) << describe(report.error());
    const std::string text = describe(*report);
    EXPECT_THAT(text, StartsWith(report->recording + "\n"));
    EXPECT_THAT(text, HasSubstr("  peers       3 peers in lockstep\n"));
    EXPECT_THAT(text, HasSubstr("  peer 2      left after tick "));
    EXPECT_THAT(text, EndsWith("AGREED  3 peers and the offline replay, in 3 of 3 trials\n"));
}

TEST_F(Agreement, TellsOfPeersThatNeverCameToATick) {
    auto report = peers_that_agree().value();
    PeerRun& run = report.shown.outcomes.front().run;
    run.killed = true;
    run.verified = 0;
    EXPECT_THAT(describe(report), HasSubstr("  peer 0      was killed before its first tick\n"));
    run.incarnation = 1;
    EXPECT_THAT(describe(report),
                HasSubstr("  peer 0      came, and was given no state, was killed before its "
                          "first tick\n"));
}

}  // namespace
}  // namespace isotick::harness
