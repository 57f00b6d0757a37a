#pragma once
// A session of peers over UDP on this machine, and its verdict.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/network.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// A session of peers as processes of their own, over UDP, in real time.

struct UdpPlan {
    std::string recording;  ///< whose inputs the peers make
    SimulationName simulation = SimulationName::chosen("");
    core::Settings environment;
    /// Without faults. The network impairs in a relay between the peers; a peer that is killed gets
    /// signal 9, and where it joins again, a new process.
    LockstepPlan plan;
    std::uint64_t ticks = 0;  ///< of the session at most, as plan.ticks; 0: all that are recorded
    std::string folder;  ///< where peers write their recordings, `peer-0.isotick`; empty: nowhere
    /// How many times as fast as real time; 1 to kFastestUdp. But a peer counts as gone after
    /// PeerOptions::silence_ns of real time: processes have to wait for processors.
    std::uint32_t speed = 1;
    std::uint16_t port = 0;             ///< of the relay; 0: any that is free
    std::uint64_t timeout_ms = 60'000;  ///< of real time, for all of it
    /// The program to start; it must call run_if_worker.
    std::string executable = "/proc/self/exe";
    /// Told the ports of the relay, and of the peers that are there from the start, before it
    /// starts.
    std::function<void(std::span<const std::uint16_t> ports)> on_ready{};

    /// How many of the recorded ticks are run at most, for SessionInputs::read.
    [[nodiscard]] std::uint64_t most_ticks() const {
        const auto or_all = [](std::uint64_t most) { return most == 0 ? UINT64_MAX : most; };
        return std::min(or_all(ticks), or_all(plan.ticks));
    }
};

inline constexpr std::uint32_t kFastestUdp = 64;

/// How a process of a session ended.
enum class UdpEnd : std::uint8_t {
    well,
    killed,     ///< as the plan says
    ended,      ///< by itself, too early: see `reason`
    timed_out,  ///< the session did not end in time
};

/// One peer, for as long as it was there at a time.
struct UdpPeer {
    std::uint32_t peer = 0;
    std::uint32_t incarnation = 0;
    UdpEnd end = UdpEnd::well;
    std::string reason;     ///< unless `well` or `killed`; empty: it was told to end, and did
    std::string recording;  ///< its path; empty: none, as of one that joined
    std::string output;     ///< what its simulation printed
    // What follows is known where it ended well.
    PeerState state = PeerState::running;
    PeerStatistics statistics;
    std::uint64_t strangers = 0;  ///< datagrams that were not the relay's, or had another cookie
    std::uint64_t first_tick = 0;
    std::vector<core::StateHash> hashes;  ///< after each tick from the first on that stands
    std::optional<HashMismatch> mismatch;
    std::vector<std::string> complaints;
    std::vector<std::vector<Presence>> presence;  ///< of each peer, as this one knows it
};

struct UdpReport {
    std::uint32_t cookie = 0;
    std::vector<UdpPeer> peers;   ///< by when they began, then by peer
    LinkStatistics traffic;       ///< of all links, at the relay
    std::uint64_t strangers = 0;  ///< datagrams to the relay that no peer of the session sent
};

/// Runs the session: starts the relay and the peers, kills and starts as the plan says, and waits
/// until all that stayed have all ticks, or until `timeout_ms`. Fails with `usage` where plan,
/// recording and simulation do not fit, or the port is in use; with the error of a peer that could
/// not start or whose simulation failed. All processes have ended when it returns.
[[nodiscard]] core::Result<UdpReport> run_over_udp(const UdpPlan& plan);

// A session of peers over UDP, compared with offline replays.

/// The first state of a peer that is not that of the offline replay.
struct UdpDivergence {
    std::size_t peer = 0;  ///< index in UdpReport::peers
    std::uint64_t ticks_done = 0;
    core::StateHash offline;
    core::StateHash computed;
};

struct UdpOutcome {
    std::uint64_t ticks = 0;  ///< of the session
    TrialResult offline;  ///< the nominal replay of its recording; unless identical, that is all
    UdpReport report;
    Verdict verdict = Verdict::identical;
    std::string reason;  ///< for every verdict but identical and diverged
    std::uint64_t hashes_compared = 0;
    std::optional<UdpDivergence> divergence;
    std::optional<HashMismatch> mismatch;  ///< the earliest that peers themselves found
};

/// Runs the session over UDP and judges it. All peers must have the states of one offline replay:
/// that of the inputs which the first peer recorded that was there from start to end. Where nobody
/// was absent, these must be the session's. If no peer was there to the end, the session's inputs
/// are replayed, without those of peers while they were absent. Peers that died are `crashed`, a
/// session that took too long is `timed_out`. Fails with `usage` without `plan.folder`; where
/// run_over_udp does, or `run`.
[[nodiscard]] core::Result<UdpOutcome> run_udp_lockstep(const UdpPlan& plan,
                                                        const TrialRunner& run);

}  // namespace isotick::harness
