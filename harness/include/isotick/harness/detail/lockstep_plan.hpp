#pragma once
// One session of peers over a network: all that decides what each of them does when.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/network.hpp>
#include <isotick/harness/peer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// How a peer's frames come.
struct PeerFrames {
    core::LoopOptions loop;
    core::Schedule schedule = core::Schedule::nominal();
    std::int64_t drift_ppm = 0;  ///< how much faster its clock runs than time, in millionths
    std::int64_t start_ns = 0;   ///< when its first frame comes

    friend bool operator==(const PeerFrames&, const PeerFrames&) = default;
};

/// Something that happens to a peer at a time.
struct PeerEvent {
    enum class Kind : std::uint8_t {
        leave,   ///< it says good-bye
        kill,    ///< it is gone without a word
        join,    ///< it comes: late, or again
        pause,   ///< it makes no frame for a while
        rebind,  ///< its packets come from other ports, as behind a NAT; not in lockstep
    };
    Kind kind = Kind::leave;
    std::uint32_t peer = 0;
    std::int64_t at_ns = 0;
    std::int64_t for_ns = 0;  ///< of pause

    friend bool operator==(const PeerEvent&, const PeerEvent&) = default;
};

/// What a planted bad peer does.
enum class PeerFault : std::uint8_t {
    alters_inputs,  ///< it simulates other inputs of its own than it sends
    two_faced,      ///< it sends one peer other inputs than the rest
    wrong_hashes,   ///< it reports hashes that it did not compute
    far_ahead,      ///< it sends inputs for ticks that nobody is near to
    malformed,      ///< it sends bytes that are no packets, and packets cut short
    oversized,      ///< it sends packets larger than any may be
    floods,         ///< it sends thousands of packets a frame
    keeps_leaver,   ///< it takes one more input of a peer that left than was agreed
    shuns_return,   ///< it takes no packet of a peer that was there before
};

struct FaultyPeer {
    std::uint32_t peer = 0;
    PeerFault fault = PeerFault::alters_inputs;

    friend bool operator==(const FaultyPeer&, const FaultyPeer&) = default;
};

struct LockstepPlan {
    PeerMode mode = PeerMode::lockstep;
    std::uint32_t peers = 2;  ///< spectators and those that join on the way included
    std::uint32_t spectators = 0;
    std::uint64_t ticks = 0;  ///< that are run at most; 0: all of the session
    NetworkSpec network;
    std::uint64_t seed = 0;  ///< of the network
    std::uint32_t input_delay = 2;
    bool adapts_delay = true;
    std::uint32_t most_guessed = 8;
    std::vector<PeerFrames> frames{};  ///< by peer; those that are missing are nominal
    std::vector<PeerEvent> events{};   ///< by time
    std::vector<FaultyPeer> faults{};

    /// The frames of a peer.
    [[nodiscard]] PeerFrames frames_of(std::uint32_t peer) const {
        return peer < frames.size() ? frames[peer] : PeerFrames{};
    }
    friend bool operator==(const LockstepPlan&, const LockstepPlan&) = default;
};

/// `rollback; 4 peers; network delay=80ms loss=3%; seed 7; frames 1 accumulator | 17ms; kill
/// 2@10s`: what is as usual is left out. parse_lockstep_plan reads it back.
[[nodiscard]] std::string to_string(const LockstepPlan& plan);
[[nodiscard]] core::Result<LockstepPlan> parse_lockstep_plan(std::string_view text,
                                                             const TraceResolver& traces = {});

/// `kill 2@10s`, `pause 1@3s+2s`, `join 3@5s`, `leave 0@60s`.
[[nodiscard]] std::string to_string(const PeerEvent& event);
[[nodiscard]] core::Result<PeerEvent> parse_peer_event(std::string_view text);
/// `2 wrong-hashes`.
[[nodiscard]] core::Result<FaultyPeer> parse_faulty_peer(std::string_view text);
/// `lockstep` or `rollback`.
[[nodiscard]] core::Result<PeerMode> parse_peer_mode(std::string_view text);
[[nodiscard]] std::string_view to_string(PeerMode mode);
[[nodiscard]] std::string_view to_string(PeerFault fault);

/// What peer `self` of such a session takes part with, at its `incarnation`th time. `ticks`: the
/// session's. Fails with `usage` on what makes no sense, events included.
[[nodiscard]] core::Result<PeerOptions> peer_options(const LockstepPlan& plan, std::uint32_t self,
                                                     std::uint32_t incarnation,
                                                     std::uint32_t players, core::TickRate rate,
                                                     std::uint64_t ticks);

}  // namespace isotick::harness
