// A whole session over a bad network: each of its courses is run, and all agree.

#include "peer_trial.hpp"
#include "peers/session_inputs.hpp"

#include <isotick/harness/detail/session_course.hpp>

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

class SessionTrial : public tests::PeerTrial {
  protected:
    // Runs the session that `text` plans and all its peers, those first that give snapshots.
    void expect_agreement(const std::string& text) {
        SCOPED_TRACE(text);
        const auto inputs = SessionInputs::read(plan_.recording, 600).value();
        const auto session = compute_session(parse_lockstep_plan(text).value(), inputs, {});
        ASSERT_TRUE(session) << describe(session.error());
        plan_.inputs = session->absences;
        plan_.hashes = HashFile{empty_file("hashes"), HashFile::Use::write};
        plan_.course.reset();
        run();
        plan_.hashes->use = HashFile::Use::compare;
        for (std::size_t id = 0; id < session->runs.size(); ++id) {
            run_peer(id, session->runs[id]);
        }
    }

    void run_peer(std::size_t id, const PeerRun& peer) {
        SCOPED_TRACE("peer " + std::to_string(peer.peer) + ", run " + std::to_string(id));
        plan_.course.reset();
        take(peer.course);
        for (const std::uint64_t ticks : peer.given) {
            plan_.course->save_at.push_back({empty_file(name_of(id, ticks).c_str()), ticks});
        }
        if (peer.donor) {
            plan_.course->begin_from = folder_.file(name_of(*peer.donor, peer.course.first_tick));
        } else {
            plan_.course->recording = empty_file("own.isotick");
        }
        const TrialResult result = run();
        EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
        const auto sums = sum_up(peer.course, 3).value();
        EXPECT_EQ(peer.course.first_tick + sums.final_steps, peer.verified);
        EXPECT_EQ(result.statistics.ticks, sums.final_steps + sums.undone + sums.open);
        rollbacks_ += result.statistics.state_loads;
        joiners_ += peer.donor ? 1U : 0U;
        if (!peer.donor && peer.verified == 600) {
            recordings_[content(plan_.course->recording)]++;
        }
    }

    static std::string name_of(std::size_t donor, std::uint64_t ticks) {
        return "state" + std::to_string(donor) + "-" + std::to_string(ticks);
    }

    std::uint64_t rollbacks_ = 0;
    std::uint64_t joiners_ = 0;
    std::map<std::string, int> recordings_;  // how many peers made each
};

TEST_F(SessionTrial, OverABadNetworkEndsWithOneRecording) {
    record("skirmish", 600);
    for (const char* mode : {"lockstep", "rollback"}) {
        expect_agreement(std::string(mode) + "; 3 peers; network awful; seed 5");
    }
    EXPECT_GT(rollbacks_, 50U);
    ASSERT_EQ(recordings_.size(), 1U);
    EXPECT_EQ(recordings_.begin()->second, 6);
    EXPECT_TRUE(recordings_.begin()->first == content(plan_.recording));
}

TEST_F(SessionTrial, AgreesThroughComingsAndGoings) {
    record("skirmish", 600);
    for (const char* mode : {"lockstep", "rollback"}) {
        expect_agreement(std::string(mode) +
                         "; 3 peers; network mobile; seed 2; kill 2@3s; "
                         "join 2@6s");
    }
    EXPECT_EQ(joiners_, 2U);
}

}  // namespace
}  // namespace isotick::harness
