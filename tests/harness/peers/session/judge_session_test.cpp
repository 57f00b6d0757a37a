#include "peers/judge_session.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

// Two peers that did all they should.
LockstepTrial good_trial() {
    LockstepTrial trial;
    for (std::uint32_t peer = 0; peer < 2; ++peer) {
        PeerOutcome outcome;
        outcome.run.peer = peer;
        outcome.run.state = PeerState::finished;
        outcome.run.verified = 100;
        outcome.result.statistics.hashes_compared = 101;
        trial.outcomes.push_back(std::move(outcome));
    }
    return trial;
}

TEST(LockstepVerdict, IsIdenticalWhereAllIsWell) {
    LockstepTrial trial = good_trial();
    judge_session(trial);
    EXPECT_EQ(trial.verdict, Verdict::identical);
    EXPECT_EQ(trial.reason, "");
}

TEST(LockstepVerdict, SaysWhichPeerCrashed) {
    LockstepTrial trial = good_trial();
    trial.outcomes[1].result.verdict = Verdict::crashed;
    trial.outcomes[1].result.reason = "killed by signal 11 in step of tick 7";
    judge_session(trial);
    EXPECT_EQ(trial.verdict, Verdict::crashed);
    EXPECT_EQ(trial.reason, "peer 1: killed by signal 11 in step of tick 7");
}

TEST(LockstepVerdict, IsNeverWonWithoutComparing) {
    LockstepTrial trial = good_trial();
    trial.outcomes[0].result.statistics.hashes_compared = 99;
    judge_session(trial);
    EXPECT_EQ(trial.verdict, Verdict::inconclusive);
    EXPECT_EQ(trial.reason, "peer 0: of 100 ticks 99 were compared");
}

TEST(LockstepVerdict, SaysWhoWaitsForWhom) {
    LockstepTrial trial = good_trial();
    trial.end = SessionEnd::stalled;
    trial.outcomes[0].run.state = PeerState::running;
    trial.outcomes[0].run.waits_for = 2;
    trial.outcomes[1].run.state = PeerState::joining;
    judge_session(trial);
    EXPECT_EQ(trial.verdict, Verdict::stalled);
    EXPECT_EQ(trial.reason, "peer 0 waits for 1 at tick 100; peer 1 waits for a snapshot");
    EXPECT_EQ(exit_code(trial.verdict), 5);
}

TEST(LockstepVerdict, IsStalledWhereNobodyFinished) {
    LockstepTrial trial = good_trial();
    trial.outcomes[0].run.state = PeerState::alone;
    trial.outcomes[1].run.state = PeerState::dropped;
    judge_session(trial);
    EXPECT_EQ(trial.verdict, Verdict::stalled);
}

TEST(LockstepVerdict, IsDivergedWherePeersDisagree) {
    LockstepTrial trial = good_trial();
    trial.end = SessionEnd::disagreed;
    trial.outcomes[0].run.mismatch = HashMismatch{core::Tick{7}, {1}, {}};
    judge_session(trial);
    EXPECT_EQ(trial.verdict, Verdict::diverged);
    EXPECT_EQ(trial.mismatch->tick.value, 7U);
}

}  // namespace
}  // namespace isotick::harness
