// Sessions of real processes over UDP: they end with the hashes of the offline replay.

#include "peers/relay.hpp"
#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"
#include "system/udp_socket.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/udp_session.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kPeers = 4;

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The state hashes of a recording.
std::vector<core::StateHash> hashes_of(const std::string& path) {
    std::vector<core::StateHash> hashes;
    auto reader = replay::Reader::open(path);
    EXPECT_TRUE(reader) << (reader ? "" : describe(reader.error()));
    while (reader) {
        const auto chunk = reader->next();
        EXPECT_TRUE(chunk && !reader->damage()) << path;
        if (!chunk || *chunk == nullptr) {
            EXPECT_TRUE(reader->saw_last()) << path << " is unfinished";
            break;
        }
        for (std::uint32_t row = 0; row < (*chunk)->ticks(); ++row) {
            hashes.push_back((*chunk)->state_hash(row).value());
        }
    }
    return hashes;
}

class Udp : public ::testing::Test {
  protected:
    void record(std::uint64_t ticks, const char* simulation = "skirmish") {
        RecordPlan plan;
        plan.path = recording_;
        plan.setup.players = kPeers;
        plan.setup.rate = core::TickRate();
        plan.ticks = ticks;
        const auto recorded =
            run_record(plan, *core::find_reference_simulation(simulation), progress_);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    }

    UdpPlan plan_of(const std::string& text) {
        UdpPlan plan;
        plan.recording = recording_;
        plan.simulation = SimulationName::recorded("skirmish");
        plan.plan = parse_lockstep_plan(text).value();
        plan.folder = folder_.file("");
        plan.folder.pop_back();
        plan.speed = 8;
        plan.executable = ISOTICK_PROGRAM;
        return plan;
    }

    /// Runs it, and replays what the first peer recorded offline.
    UdpReport run(const UdpPlan& plan) {
        auto report = run_over_udp(plan);
        EXPECT_TRUE(report) << (report ? "" : describe(report.error()));
        TrialPlan offline;
        offline.recording = peer_file(0);
        const TrialResult replayed =
            run_trial(offline, *core::find_reference_simulation("skirmish"), progress_);
        EXPECT_EQ(replayed.verdict, Verdict::identical) << replayed.reason;
        return report ? *std::move(report) : UdpReport();
    }

    static std::string refusal_of(const UdpPlan& plan) {
        const auto report = run_over_udp(plan);
        EXPECT_FALSE(report) << "it ran";
        EXPECT_TRUE(report || report.error().code == core::ErrorCode::usage);
        return report ? "" : report.error().message;
    }

    // For the next session.
    void remove_peer_files() const {
        for (std::uint32_t peer = 0; peer < kPeers; ++peer) {
            std::filesystem::remove(peer_file(peer));
        }
    }

    [[nodiscard]] std::string peer_file(std::uint32_t peer) const {
        return folder_.file("peer-" + std::to_string(peer) + ".isotick");
    }

    tests::ScratchFolder folder_;
    std::string recording_ = folder_.file("session.isotick");
    Progress progress_;
};

class UdpModes : public Udp, public ::testing::WithParamInterface<const char*> {};

TEST_P(UdpModes, AllPeersRecordTheSession) {
    record(400);
    const UdpReport report =
        run(plan_of(std::string(GetParam()) + "; 4 peers; network mobile; seed 3"));
    ASSERT_EQ(report.peers.size(), kPeers);
    const auto recorded = hashes_of(recording_);
    for (const UdpPeer& each : report.peers) {
        EXPECT_EQ(each.end, UdpEnd::well) << each.reason << each.output;
        EXPECT_EQ(each.state, PeerState::finished);
        EXPECT_EQ(each.hashes, recorded);
        EXPECT_EQ(hashes_of(each.recording), recorded);
        EXPECT_EQ(content(each.recording), content(peer_file(0)));
        EXPECT_EQ(each.strangers, 0U);
        EXPECT_GT(each.statistics.packets_received, 400U);
        EXPECT_EQ(each.complaints.size(), 0U);
    }
    EXPECT_GT(report.traffic.lost, 0U) << "the relay impairs";
    EXPECT_EQ(report.strangers, 0U);
}

TEST_P(UdpModes, APeerIsKilledAndReturns) {
    record(2400);
    UdpPlan plan = plan_of(std::string(GetParam()) +
                           "; 4 peers; network mobile; seed 5; kill 2@3s; join 2@37s");
    const UdpReport report = run(plan);
    ASSERT_EQ(report.peers.size(), kPeers + 1);
    EXPECT_EQ(report.peers[2].end, UdpEnd::killed);
    const auto stayed = hashes_of(peer_file(0));
    ASSERT_EQ(stayed.size(), 2400U);
    EXPECT_TRUE(stayed != hashes_of(recording_)) << "its inputs are missing for a while";
    for (const std::uint32_t peer : {1U, 3U}) {
        EXPECT_EQ(content(peer_file(peer)), content(peer_file(0)));
    }
    const UdpPeer& returned = report.peers.back();
    EXPECT_EQ(returned.peer, 2U);
    EXPECT_EQ(returned.incarnation, 1U);
    EXPECT_EQ(returned.end, UdpEnd::well) << returned.reason;
    EXPECT_EQ(returned.state, PeerState::finished);
    EXPECT_GT(returned.first_tick, 200U);
    ASSERT_EQ(returned.first_tick + returned.hashes.size(), 2400U);
    EXPECT_TRUE(std::ranges::equal(
        returned.hashes, std::span(stayed).subspan(static_cast<std::size_t>(returned.first_tick))));
    EXPECT_TRUE(returned.recording.empty());
}

// The second one dies when the first has just returned.
TEST_P(UdpModes, TwoPeersAreKilledAndReturnOneAfterTheOther) {
    record(4800);
    const UdpReport report =
        run(plan_of(std::string(GetParam()) + "; 4 peers; network lan; seed 5; kill 2@3s; "
                                              "join 2@37s; kill 3@39s; join 3@70s"));
    ASSERT_EQ(report.peers.size(), kPeers + 2);
    const std::string first = content(peer_file(0));
    EXPECT_EQ(content(peer_file(1)), first);
    std::set<std::pair<std::uint32_t, std::uint32_t>> finished;
    for (const UdpPeer& each : report.peers) {
        if (each.state == PeerState::finished) {
            EXPECT_EQ(each.end, UdpEnd::well) << each.reason;
            finished.emplace(each.peer, each.incarnation);
        }
    }
    EXPECT_THAT(finished, ::testing::ElementsAre(std::pair(0U, 0U), std::pair(1U, 0U),
                                                 std::pair(2U, 1U), std::pair(3U, 1U)));
}

INSTANTIATE_TEST_SUITE_P(Modes, UdpModes, ::testing::Values("lockstep", "rollback"));

TEST_F(Udp, StrangersAreDroppedAndCounted) {
    record(200);
    UdpPlan plan = plan_of("rollback; 4 peers; network lan");
    auto stranger = UdpSocket::open();
    ASSERT_TRUE(stranger);
    plan.on_ready = [&](std::span<const std::uint16_t> ports) {
        ASSERT_EQ(ports.size(), 1 + kPeers);
        for (const std::uint16_t port : ports) {
            const std::vector<std::byte> garbage(500, std::byte{0xa5});
            core::Bytes envelope;
            write_envelope({0x12345678, 1, 0, 9, garbage}, envelope);
            stranger->send(port, garbage);
            stranger->send(port, std::span(garbage).first(3));
            stranger->send(port, {});
            stranger->send(port, envelope);
        }
    };
    const UdpReport report = run(plan);
    EXPECT_EQ(report.strangers, 4U);
    for (const UdpPeer& each : report.peers) {
        EXPECT_EQ(each.strangers, 4U);
        EXPECT_EQ(each.state, PeerState::finished);
        EXPECT_EQ(content(each.recording), content(peer_file(0)));
    }
}

// Empty, short, and with another cookie, by the thousand, for three seconds at most.
TEST_F(Udp, AFloodOfStrangersStopsNobody) {
    record(600);
    UdpPlan plan = plan_of("lockstep; 4 peers; network lan");
    std::atomic<bool> ends{false};
    std::thread flood;
    plan.on_ready = [&](std::span<const std::uint16_t> ports) {
        flood = std::thread([&ends, own = std::vector(ports.begin(), ports.end())] {
            auto stranger = UdpSocket::open();
            const std::vector<std::byte> garbage(16, std::byte{0xa5});
            const auto start = std::chrono::steady_clock::now();
            while (stranger && !ends &&
                   std::chrono::steady_clock::now() - start < std::chrono::seconds(3)) {
                for (std::size_t i = 0; i < 40 * own.size(); ++i) {
                    stranger->send(own[i % own.size()], {});
                    stranger->send(own[i % own.size()], std::span(garbage).first(i % 16));
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
    };
    const UdpReport report = run(plan);
    ends = true;
    flood.join();
    EXPECT_GT(report.strangers, 1000U);
    for (const UdpPeer& each : report.peers) {
        EXPECT_GT(each.strangers, 1000U);
        EXPECT_EQ(each.state, PeerState::finished);
        EXPECT_EQ(each.end, UdpEnd::well) << each.reason;
    }
}

TEST_F(Udp, ASessionThatTakesTooLongIsEnded) {
    record(4000);
    UdpPlan plan = plan_of("lockstep; 2 peers; network satellite");
    plan.folder = "";
    plan.timeout_ms = 1500;
    const auto report = run_over_udp(plan);
    ASSERT_TRUE(report) << describe(report.error());
    for (const UdpPeer& each : report->peers) {
        EXPECT_EQ(each.end, UdpEnd::timed_out);
        EXPECT_EQ(each.state, PeerState::running);
        EXPECT_GT(each.hashes.size(), 0U);
    }
}

TEST_F(Udp, APlanThatEndsEarlierPrevails) {
    record(300);
    UdpPlan plan = plan_of("lockstep; 2 peers; network lan; 90 ticks");
    EXPECT_EQ(run(plan).peers.at(1).hashes.size(), 90U);
    remove_peer_files();
    plan.ticks = 60;
    EXPECT_EQ(run(plan).peers.at(1).hashes.size(), 60U);
    remove_peer_files();
    plan.ticks = 200;
    EXPECT_EQ(run(plan).peers.at(1).hashes.size(), 90U);
}

TEST_F(Udp, NobodyWaitsForAPeerThatIsStillToCome) {
    record(300);
    const UdpReport report = run(plan_of("lockstep; 3 peers; network lan; join 2@61s"));
    ASSERT_EQ(report.peers.size(), 2U) << "the session is over before the third one comes";
    EXPECT_EQ(report.peers[0].state, PeerState::finished);
    EXPECT_EQ(report.peers[1].state, PeerState::finished);
}

TEST_F(Udp, WhatMakesNoSenseIsRefused) {
    record(100);
    UdpPlan plan = plan_of("lockstep; 2 peers");
    plan.speed = 0;
    EXPECT_EQ(refusal_of(plan), "a session over UDP runs 1 to 64 times as fast");
    plan = plan_of("lockstep; 2 peers; fault 1 floods");
    EXPECT_EQ(refusal_of(plan), "peers over UDP have no planted faults");
    plan = plan_of("lockstep; 2 peers");
    plan.simulation = SimulationName::chosen("spring");
    EXPECT_THAT(refusal_of(plan), HasSubstr("the recording is of 'skirmish'"));
    plan = plan_of("lockstep; 2 peers");
    const auto other = UdpSocket::open();
    ASSERT_TRUE(other);
    plan.port = other->port();
    EXPECT_EQ(refusal_of(plan), "cannot have the UDP port " + std::to_string(other->port()) +
                                    ": Address already in use");
}

/// Sessions of a simulation in which one process goes wrong, once.
class FaultyUdp : public Udp {
  protected:
    UdpPlan faulty_plan(const char* text, const char* fault, std::uint32_t hash_every = 1) {
        RecordPlan record;
        record.path = recording_;
        record.setup.players = 3;
        record.ticks = 200;
        record.hash_every = hash_every;
        const auto recorded =
            run_record(record, core::simulation_table<tests::Faulty>(), progress_);
        EXPECT_FALSE(recorded.error);
        UdpPlan plan = plan_of(text);
        plan.simulation = SimulationName::chosen(ISOTICK_FAULTY);
        for (const auto& [key, value] : {std::pair<std::string, std::string>{"fault", fault},
                                         {"at", "100"},
                                         {"once", folder_.file("gone-wrong")}}) {
            EXPECT_TRUE(plan.environment.set(key, value));
        }
        return plan;
    }
};

TEST_F(FaultyUdp, APeerThatDiesIsTold) {
    const auto report = run_over_udp(faulty_plan("lockstep; 3 peers; network lan", "abort"));
    ASSERT_TRUE(report) << describe(report.error());
    std::size_t dead = 0;
    for (const UdpPeer& each : report->peers) {
        dead += each.end == UdpEnd::ended ? 1 : 0;
        if (each.end == UdpEnd::ended) {
            EXPECT_THAT(each.reason, HasSubstr("killed by signal 6"));
        } else {
            EXPECT_EQ(each.end, UdpEnd::well);
            EXPECT_EQ(each.state, PeerState::finished) << "the others go on";
        }
    }
    EXPECT_EQ(dead, 1U);
}

TEST_F(FaultyUdp, ASimulationThatFailsEndsTheSessionWithItsError) {
    const auto report = run_over_udp(faulty_plan("rollback; 3 peers; network lan", "throw"));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, core::ErrorCode::simulation);
    EXPECT_THAT(report.error().message, ::testing::MatchesRegex("peer [012]: step .*"));
    EXPECT_GE(report.error().tick.value_or(0), 100U);
}

TEST_F(FaultyUdp, PeersFindThatTheirStatesDiffer) {
    const auto report = run_over_udp(faulty_plan("lockstep; 3 peers; network lan", "process"));
    ASSERT_TRUE(report) << describe(report.error());
    for (const UdpPeer& each : report->peers) {
        EXPECT_EQ(each.end, UdpEnd::well);
        EXPECT_EQ(each.state, PeerState::disagreed);
        ASSERT_TRUE(each.mismatch);
        EXPECT_EQ(each.mismatch->tick.value, 100U);
    }
    EXPECT_EQ(
        std::set({report->peers[0].hashes.at(100).value, report->peers[1].hashes.at(100).value,
                  report->peers[2].hashes.at(100).value})
            .size(),
        3U);
}

TEST_F(FaultyUdp, TheVerdictNamesTheTickWhateverTheRecordingHas) {
    const TrialRunner run = [this](std::span<const TrialPlan> plans, Isolation) {
        std::vector<TrialResult> results;
        for (TrialPlan plan : plans) {
            plan.environment = {};  // here nothing goes wrong
            results.push_back(run_trial(plan, core::simulation_table<tests::Faulty>(), progress_));
        }
        return core::Result<std::vector<TrialResult>>(std::move(results));
    };
    UdpPlan plan = faulty_plan("lockstep; 3 peers; network lan", "process", 64);
    for (const char* const once : {"", "gone-wrong"}) {  // all peers go wrong, or one does
        EXPECT_TRUE(plan.environment.set("once", *once == 0 ? "" : folder_.file(once)));
        const auto outcome = run_udp_lockstep(plan, run);
        ASSERT_TRUE(outcome) << describe(outcome.error());
        EXPECT_EQ(outcome->verdict, Verdict::diverged);
        ASSERT_TRUE(outcome->divergence);
        EXPECT_EQ(outcome->divergence->ticks_done, 101U);
        remove_peer_files();
    }
    plan.environment = {};
    const auto outcome = run_udp_lockstep(plan, run);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->verdict, Verdict::identical) << outcome->reason;
    EXPECT_EQ(outcome->hashes_compared, 3 * 200U) << "no peer with itself";
    plan.folder = "";
    const auto refused = run_udp_lockstep(plan, run);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("name a folder"));
}

TEST_F(FaultyUdp, StatesAreLoadedWithinFrames) {
    UdpPlan plan = faulty_plan("rollback; 3 peers; network mobile", "unframed-load");
    const auto report = run_over_udp(plan);
    ASSERT_TRUE(report) << describe(report.error());
    std::uint64_t rollbacks = 0;
    for (const UdpPeer& each : report->peers) {
        EXPECT_EQ(each.state, PeerState::finished);
        EXPECT_TRUE(each.hashes == hashes_of(recording_));
        rollbacks += each.statistics.rollbacks;
    }
    EXPECT_GT(rollbacks, 0U);
}

TEST_F(FaultyUdp, APauseMakesALongFrame) {
    const auto report = run_over_udp(
        faulty_plan("lockstep; 3 peers; network lan; pause 1@2500ms+2s", "long-frame"));
    ASSERT_TRUE(report) << describe(report.error());
    const auto recorded = hashes_of(recording_);
    for (const UdpPeer& each : report->peers) {
        const auto diverged = std::ranges::mismatch(each.hashes, recorded).in1;
        EXPECT_EQ(diverged != each.hashes.end(), each.peer == 1) << each.peer;
    }
}

TEST_F(FaultyUdp, PeersThatHangAreWaitedForTogether) {
    UdpPlan plan = faulty_plan("lockstep; 2 peers; network lan", "hang");
    EXPECT_TRUE(plan.environment.set("once", ""));
    plan.timeout_ms = 2500;
    const auto start = std::chrono::steady_clock::now();
    const auto report = run_over_udp(plan);
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(35));
    for (const UdpPeer& each : report->peers) {
        EXPECT_EQ(each.end, UdpEnd::timed_out);
        EXPECT_EQ(each.reason, "did not end in time");
    }
}

TEST_F(Udp, RollbackTakesASimulationWithSnapshots) {
    RecordPlan record;
    record.path = recording_;
    record.setup.players = 2;
    record.ticks = 50;
    SimulationCatalog catalog({});
    const auto name = SimulationName::chosen(ISOTICK_TANKS_PLAIN);
    const auto table = catalog.open(name);
    ASSERT_TRUE(table) << describe(table.error());
    const auto recorded = run_record(record, **table, progress_);
    ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    UdpPlan plan = plan_of("rollback; 2 peers");
    plan.simulation = name;
    EXPECT_THAT(refusal_of(plan),
                HasSubstr("tanks makes no snapshots, which rollback and peers that join need"));
    plan = plan_of("lockstep; 2 peers");
    plan.simulation = name;
    const auto report = run_over_udp(plan);
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_EQ(hashes_of(peer_file(1)), hashes_of(recording_));
}

}  // namespace
}  // namespace isotick::harness
