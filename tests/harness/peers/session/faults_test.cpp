// Planted bad peers: what the others make of them.

#include "fake_session.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

constexpr std::uint32_t kBad = 2;

SessionCourse with_fault(const std::string& mode, const std::string& fault,
                         const SessionInputs& inputs, std::uint64_t seed,
                         const std::string& more = "") {
    const auto plan = parse_lockstep_plan(mode + "; 4 peers; network mobile; seed " +
                                          std::to_string(seed) + "; fault 2 " + fault + more);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
    auto course = compute_session(*plan, inputs, {});
    EXPECT_TRUE(course) << (course ? "" : course.error().message);
    return course ? *std::move(course) : SessionCourse();
}

class BadPeer : public ::testing::TestWithParam<std::tuple<const char*, int>> {
  protected:
    [[nodiscard]] std::string mode() const { return std::get<0>(GetParam()); }
    [[nodiscard]] std::uint64_t seed() const {
        return static_cast<std::uint64_t>(std::get<1>(GetParam()));
    }
    const SessionInputs inputs_ = pad_inputs(4, 900, seed());
};

TEST_P(BadPeer, WithHashesOfItsOwnIsNamedByAllOthersAtTheTick) {
    const SessionCourse course = with_fault(mode(), "wrong-hashes", inputs_, seed());
    EXPECT_EQ(course.end, SessionEnd::disagreed);
    for (const PeerRun& run : course.runs) {
        ASSERT_TRUE(run.mismatch) << "peer " << run.peer;
        EXPECT_EQ(run.mismatch->tick, core::Tick{120});
        EXPECT_EQ(run.mismatch->minority, std::vector<std::uint32_t>{kBad});
        EXPECT_FALSE(run.mismatch->two_faced);
    }
}

TEST_P(BadPeer, ThatSimulatesOtherInputsThanItSendsIsTheOnlyOneToPart) {
    const SessionCourse course = with_fault(mode(), "alters-inputs", inputs_, seed());
    const auto states = offline_states(inputs_, course.absences);
    for (const PeerRun& run : course.runs) {
        const auto failure = execute(run, inputs_, course.absences, states);
        ASSERT_EQ(failure.has_value(), run.peer == kBad) << run.peer;
        if (failure) {
            EXPECT_EQ(failure->tick, 120U);
        }
    }
}

TEST_P(BadPeer, ThatTellsOnePeerOtherInputsIsNamed) {
    SessionCourse course = with_fault(mode(), "two-faced", inputs_, seed());
    const auto states = offline_states(inputs_, course.absences);
    const auto failure = execute(course.runs[0], inputs_, course.absences, states);
    ASSERT_TRUE(failure);
    EXPECT_GE(failure->tick, 120U);
    for (std::size_t peer = 1; peer < 4; ++peer) {
        EXPECT_FALSE(execute(course.runs[peer], inputs_, course.absences, states)) << peer;
    }

    SessionOptions options;
    options.hash_of = [&](std::uint32_t peer, core::Tick tick) {
        core::StateHash hash = stand_in_hash(tick);
        hash.value += peer == 0 && tick.value >= failure->tick ? 1U : 0U;
        return hash;
    };
    const auto plan = parse_lockstep_plan(mode() + "; 4 peers; network mobile; seed " +
                                          std::to_string(seed()) + "; fault 2 two-faced");
    const auto noticed = compute_session(*plan, inputs_, options);
    ASSERT_TRUE(noticed);
    for (const PeerRun& run : noticed->runs) {
        ASSERT_TRUE(run.mismatch) << run.peer;
        EXPECT_EQ(run.mismatch->tick.value, failure->tick);
        EXPECT_EQ(run.mismatch->minority, std::vector<std::uint32_t>{0});
        EXPECT_EQ(run.mismatch->two_faced, kBad);
    }
}

TEST_P(BadPeer, ThatKeepsALeaversInputPartsWhereTheOthersDropIt) {
    const SessionCourse course =
        with_fault(mode(), "keeps-leaver", inputs_, seed(), "; leave 3@4s");
    ASSERT_FALSE(course.absences.empty());
    const core::Tick absent = course.absences.front().first;
    const isotick_input& kept = inputs_.of(absent)[3];
    const auto states = offline_states(inputs_, course.absences);
    for (const PeerRun& run : course.runs) {
        const auto failure = execute(run, inputs_, course.absences, states);
        EXPECT_EQ(failure.has_value(), run.peer == kBad && kept.present != 0) << run.peer;
        if (failure) {
            EXPECT_EQ(failure->tick, absent.value);
        }
    }
}

// The other three finish, say who it was, and agree.
void expect_banned(const SessionCourse& course, const SessionInputs& inputs,
                   const std::string& complaint) {
    const auto states = offline_states(inputs, course.absences);
    for (const PeerRun& run : course.runs) {
        EXPECT_FALSE(execute(run, inputs, course.absences, states)) << run.peer;
        if (run.peer == kBad) {
            EXPECT_EQ(run.state, PeerState::dropped);
            EXPECT_TRUE(run.complaints.empty());
            continue;
        }
        EXPECT_EQ(run.state, PeerState::finished);
        EXPECT_EQ(run.verified, course.ticks);
        EXPECT_EQ(run.complaints, std::vector<std::string>{"peer 2: " + complaint});
    }
    EXPECT_EQ(course.end, SessionEnd::finished);
}

TEST_P(BadPeer, ThatSendsWhatNoPeerSendsIsNotListenedTo) {
    expect_banned(with_fault(mode(), "far-ahead", inputs_, seed()), inputs_,
                  "inputs for ticks that are far ahead");
    expect_banned(with_fault(mode(), "malformed", inputs_, seed()), inputs_,
                  "a packet that makes no sense");
    expect_banned(with_fault(mode(), "oversized", inputs_, seed()), inputs_,
                  "a packet of more than 60 KiB");
}

INSTANTIATE_TEST_SUITE_P(Session, BadPeer,
                         ::testing::Combine(::testing::Values("lockstep", "rollback"),
                                            ::testing::Values(1, 2, 3, 4)),
                         [](const auto& one) {
                             return std::string(std::get<0>(one.param)) + "_" +
                                    std::to_string(std::get<1>(one.param));
                         });

class Flood : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Flood, IsNamedOnEveryNetwork) {
    const auto [mode, network] = GetParam();
    const auto inputs = pad_inputs(4, 600, 1);
    const auto plan = parse_lockstep_plan(std::string(mode) + "; 4 peers; network " + network +
                                          "; seed 1; fault 2 floods");
    const auto course = compute_session(*plan, inputs, {});
    ASSERT_TRUE(course);
    expect_banned(*course, inputs, "a flood of packets");
}

INSTANTIATE_TEST_SUITE_P(Session, Flood,
                         ::testing::Combine(::testing::Values("lockstep", "rollback"),
                                            ::testing::Values("perfect", "lan", "broadband",
                                                              "mobile", "satellite", "awful")),
                         [](const auto& one) {
                             return std::string(std::get<0>(one.param)) + "_" +
                                    std::get<1>(one.param);
                         });

// Hitches, bursts, copies, fast hosts, a large snapshot.
TEST(Session, TakesNothingThatHonestPeersSendForAFlood) {
    const auto inputs = pad_inputs(4, 1500, 1);
    SessionOptions options;
    options.snapshot_bytes = std::uint64_t{4} << 20U;
    for (const char* mode : {"lockstep", "rollback"}) {
        for (const char* rest :
             {"network awful dup=100%; pause 1@4s+12s", "network delay=200ms reorder=100%+3s",
              "network lan; kill 2@2s; join 2@8s; frames 0 0ppm 0ms accumulator | 1ms; frames 2 "
              "0ppm 0ms accumulator | 500ms",
              "network awful cut(0|1@3s+2.5s); frames 1 300ppm 200ms accumulator | 3ms",
              "network perfect dup=100%; frames 0 0ppm 0ms accumulator | 500us; pause 3@5s+2.9s"}) {
            SCOPED_TRACE(std::string(mode) + "; " + rest);
            const auto plan = parse_lockstep_plan(std::string(mode) + "; 4 peers; seed 3; " + rest);
            ASSERT_TRUE(plan) << plan.error().message;
            const auto course = compute_session(*plan, inputs, options);
            ASSERT_TRUE(course);
            for (const PeerRun& run : course->runs) {
                EXPECT_TRUE(run.complaints.empty()) << run.complaints.front();
            }
        }
    }
}

TEST(Session, IsCleanWithoutFaults) {
    const auto inputs = pad_inputs(4, 900, 1);
    for (const char* mode : {"lockstep", "rollback"}) {
        const auto plan = parse_lockstep_plan(std::string(mode) + "; 4 peers; network mobile");
        const auto course = compute_session(*plan, inputs, {});
        ASSERT_TRUE(course);
        EXPECT_EQ(failures_of(*course, inputs), "");
        for (const PeerRun& run : course->runs) {
            EXPECT_FALSE(run.mismatch);
        }
    }
}

}  // namespace
}  // namespace isotick::harness
