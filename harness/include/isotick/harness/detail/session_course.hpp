#pragma once
// What all peers of a session do, computed from inputs, network and frame times alone.

#include <isotick/core/hash.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>
#include <isotick/harness/network.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

class SessionInputs;

/// A moment of a peer, for a time line.
struct PeerMoment {
    std::int64_t at_ns = 0;
    std::uint64_t tick = 0;  ///< the next to be run, at the end of the frame
    std::uint64_t confirmed = 0;
    std::uint32_t back = 0;
    std::uint32_t steps = 0;
    bool stalled = false;
    bool waits = false;
};

/// One peer, for as long as it was there at a time.
struct PeerRun {
    std::uint32_t peer = 0;
    std::uint32_t incarnation = 0;
    Course course;
    PeerState state = PeerState::running;  ///< at the end; running: killed, or the session stalled
    bool killed = false;
    std::int64_t began_ns = 0;
    std::int64_t ended_ns = 0;
    std::uint64_t verified = 0;  ///< ticks that stand
    /// Index of the run that gave it the snapshot of its first tick, where it joined.
    std::optional<std::size_t> donor;
    std::vector<std::uint64_t> given;  ///< ticks of which it gave snapshots to others
    std::uint64_t waits_for = 0;       ///< at the end; bit p: peer p
    PeerStatistics statistics;
    std::optional<HashMismatch> mismatch;
    std::vector<std::string> complaints;
    std::vector<std::vector<Presence>> presence;  ///< of each peer, as this one knows it
    std::vector<PeerMoment> moments;              ///< where asked for
};

/// How a session of peers ended, before any simulation ran.
enum class SessionEnd : std::uint8_t {
    finished,   ///< all that stayed have all ticks
    stalled,    ///< somebody waits for ever
    disagreed,  ///< peers found that hashes differ
};

struct SessionCourse {
    SessionEnd end = SessionEnd::finished;
    std::uint64_t ticks = 0;    ///< of the session
    std::vector<PeerRun> runs;  ///< by when they began, then by peer
    InputEdits absences;        ///< inputs that do not count, as their peers were not there
    std::int64_t ended_ns = 0;
    std::vector<PeerEvent> missed;                ///< that were to come later
    LinkStatistics traffic;                       ///< of all links
    std::vector<LoggedPacket> packets;            ///< not delivered plainly; where asked for
    std::optional<NetworkSpec> explicit_network;  ///< that does the same; where asked for
};

struct SessionOptions {
    core::TickRate rate;
    std::uint64_t snapshot_bytes = 16384;  ///< how large one is, for those that join
    bool moments = false;
    bool packets = false;
    /// The hash that a peer's run reports for a tick, where they are known: what the peers make of
    /// it. Without it they all agree.
    std::function<core::StateHash(std::uint32_t peer, core::Tick tick)> hash_of;
};

/// What a state's hash is where nobody has computed it: the same for all peers.
[[nodiscard]] core::StateHash stand_in_hash(core::Tick tick);

/// Runs the protocol of all peers over the simulated network in virtual time. Fails with `usage`
/// where the plan makes no sense.
[[nodiscard]] core::Result<SessionCourse> compute_session(const LockstepPlan& plan,
                                                          const SessionInputs& inputs,
                                                          const SessionOptions& options);

}  // namespace isotick::harness
