#pragma once
// One netplay session: programs, each a peer, in virtual time over a simulated network.

#include "../system/process.hpp"
#include "page.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>
#include <isotick/harness/network.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::netplay {

inline constexpr std::int64_t kSecond = 1'000'000'000;

/// What a peer runs. In words and values of variables these stand for something: `{peer}`, its
/// number; `{peers}`, how many there are; `{port}`, its port; `{ip}`, its address; `{address}`,
/// both;
/// `{addresses}`, those of all peers, between commas;
/// `{record}`, the path of its recording; `{dump}`, nothing, or a tick and a path (`412:PATH`)
/// where the state after that tick is to be left; with a number, `{port:0}` and so on, those of
/// that peer; and `{{`, a brace.
struct PeerProgram {
    std::vector<std::string> words;
    std::vector<std::string> environment;  ///< `NAME=value`, beside what this process has
};

/// What stands for something in a peer's words.
struct Values {
    std::uint32_t peer = 0;
    std::uint32_t peers = 0;
    std::string record;
    std::string dump;
};

/// The values in place of what stands for them. Fails with `usage` on an unknown `{…}`.
[[nodiscard]] core::Result<std::string> filled_in(const std::string& text, const Values& values);

struct SessionSetup {
    std::vector<PeerProgram> programs;  ///< of each peer; of all peers if there is one
    /// Peers, network, its seed, and events. Nothing else of it is looked at.
    LockstepPlan plan;
    std::int64_t length_ns = 0;                ///< of virtual time, at most
    std::uint64_t timeout_ms = 10'000;         ///< of real time that a peer may run without waiting
    std::string folder;                        ///< where peers record and print
    std::optional<std::uint64_t> dump_tick{};  ///< whose states peers are to leave
    std::size_t slot = 0;                      ///< of several at once: picks the processor
    bool logs_packets = false;                 ///< for Session::explicit_network
    std::function<bool()> stop;
};

/// How a peer's life ended.
enum class LifeEnd : std::uint8_t {
    running,    ///< when the session's time was over
    exited,     ///< it ended by itself
    crashed,    ///< a signal ended it, or it ended with an exit code that is not 0
    killed,     ///< as the plan said
    left,       ///< likewise, asked to end (SIGTERM)
    timed_out,  ///< it neither waited nor ended
    waiting,    ///< it waits for something that can't come any more
};

/// One run of a peer's program, from its start to its end.
struct Life {
    std::uint32_t peer = 0;
    std::uint32_t life = 0;  ///< 0: the first
    std::int64_t began_ns = 0;
    std::int64_t ended_ns = 0;
    LifeEnd state = LifeEnd::running;
    ProcessEnd end;
    std::string refused;    ///< why what comes of it can't be relied on; empty: it can
    bool loaded = false;    ///< our library was
    bool seen = false;      ///< it waited, or used a socket
    std::string recording;  ///< whether or not there is one
    std::string output;     ///< the file with what it printed
    std::string dump;       ///< where it was to leave a state; empty: it was not
    std::optional<std::int64_t> recorded_ns;              ///< when its recording last became longer
    std::uint64_t sent = 0;                               ///< packets
    std::vector<std::optional<std::int64_t>> sent_to;     ///< when it last sent to each peer
    std::vector<std::optional<std::int64_t>> heard_from;  ///< when it last got a packet of each
    std::uint64_t spun = 0;                               ///< looks at the clock that took time
    std::uint64_t unheard = 0;   ///< packets to a port where nobody listened
    std::uint64_t overrun = 0;   ///< packets for which a socket had no room
    std::uint64_t unplaced = 0;  ///< packets to an address of no peer
    std::uint64_t threads = 0;   ///< that it started
};

/// A packet as it was sent: what two runs of a session have in common, or not.
struct SentPacket {
    std::int64_t at_ns = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t bytes = 0;
    std::uint64_t hash = 0;  ///< of ports and bytes

    friend bool operator==(const SentPacket&, const SentPacket&) = default;
};

struct Session {
    std::vector<Life> runs;  ///< by when they began, then by peer
    std::int64_t ended_ns = 0;
    bool ran_out = false;  ///< its time was over before the peers were
    LinkStatistics traffic;
    std::uint64_t stream_pieces = 0;  ///< that TCP sent
    core::Digest digest;              ///< of all packets, with their times
    std::vector<SentPacket> packets;  ///< the first kMostKept
    std::optional<NetworkSpec> explicit_network;
    std::vector<LoggedPacket> logged;
    static constexpr std::size_t kMostKept = 1'000'000;
};

/// Runs one, in virtual time that begins at 0. What its peers see follows from the setup alone,
/// but for `folder`, as long as they do nothing that `refused` tells of. Fails where a program
/// can't be started, or `stop` says so.
[[nodiscard]] core::Result<Session> run_session(const SessionSetup& setup);

}  // namespace isotick::harness::netplay
