#pragma once
// How a peer takes part in a session.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <vector>

namespace isotick::harness {

inline constexpr std::uint32_t kMostPeers = 64;
inline constexpr std::uint32_t kMostLives = 64;  // of one peer, in one session

/// What a peer does when another's input is not there.
enum class PeerMode : std::uint8_t {
    lockstep,  ///< it waits
    rollback,  ///< it guesses, and goes back where the guess was wrong
};

/// How a peer takes part. All peers of a session must have the same members but `self`,
/// `incarnation`, `joins` and `input_delay`.
struct PeerOptions {
    PeerMode mode = PeerMode::lockstep;
    std::uint32_t peers = 2;       ///< all that may ever take part, up to kMostPeers
    std::uint32_t spectators = 0;  ///< the last ones of them: they have no players
    std::uint64_t late = 0;        ///< bit p: peer p joins on the way, or never
    std::uint32_t self = 0;
    std::uint32_t players = 2;       ///< player k belongs to peer k modulo those that have players
    core::TickRate rate;             ///< ticks per second of the session
    std::uint64_t ticks = 0;         ///< the session's; 0: until it is left
    std::uint32_t cookie = 0;        ///< random, the same for all: other packets are not looked at
    std::uint8_t incarnation = 0;    ///< how often this peer was there before: its life
    bool joins = false;              ///< not there from the start: asks for a snapshot
    std::uint32_t input_delay = 2;   ///< ticks from when an input is made to when it counts
    bool adapts_delay = true;        ///< lockstep: the delay follows the network
    std::uint32_t most_guessed = 8;  ///< rollback: ticks that it runs ahead of what it knows
    std::uint32_t hash_every = 8;    ///< ticks between two reports of all hashes so far
    std::int64_t silence_ns = 3'000'000'000;  ///< after which a peer counts as gone
};

/// Ticks in which a peer takes part: from `from` to before `until`.
struct Presence {
    static constexpr std::uint64_t kOpen = UINT64_MAX;
    std::uint64_t from = 0;
    std::uint64_t until = kOpen;
    friend bool operator==(const Presence&, const Presence&) = default;
};

/// Fails with `usage` on what makes no sense.
[[nodiscard]] core::Result<void> check_peer_options(const PeerOptions& options);

/// Which players' inputs a peer makes, ascending; ISOTICK_WORLD last, for peer 0.
[[nodiscard]] std::vector<std::uint32_t> players_of(std::uint32_t peer, const PeerOptions& options);

}  // namespace isotick::harness
