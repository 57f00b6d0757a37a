#pragma once
// One peer of a lockstep or rollback session, without input or output: packets and a clock go in,
// packets and orders to the game come out. harness/LOCKSTEP.md describes the protocol.

#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/peer_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Where a peer stands.
enum class PeerState : std::uint8_t {
    joining,  ///< it waits for a snapshot
    running,
    finished,   ///< it has all ticks, and the session's end is decided; others may need its packets
    left,       ///< it said so
    dropped,    ///< the others go on without it
    alone,      ///< it waits for a majority, and goes on where there is one again
    disagreed,  ///< hashes differ: see Peer::mismatch
};
[[nodiscard]] std::string_view to_string(PeerState state);

/// What to do in a frame before its steps.
struct PeerFrame {
    std::uint64_t back = 0;  ///< ticks to undo by a snapshot
    bool waits = false;      ///< fewer ticks are run than were due: it is ahead of the others
};

/// A tick to run now. Valid until the next call to the peer.
struct PeerStep {
    core::Tick tick;
    bool saves = false;  ///< keep a snapshot of the state before it: it may be gone back to
    bool again = false;  ///< it was run before, on other inputs
    std::span<const isotick_input> inputs;  ///< one per player in order, the world's last
    std::uint64_t guessed = 0;              ///< bit p: peer p's part is a guess
};

struct OutgoingPacket {
    std::uint32_t to = 0;
    std::span<const std::byte> bytes;  ///< valid until the next call to the peer
};

/// The first tick whose hashes differ between peers, and who says what.
struct HashMismatch {
    core::Tick tick;
    std::vector<std::uint32_t> minority;  ///< ascending; empty where no side is the smaller one
    /// A peer that told others different inputs, where that is why. Where the minority is one peer,
    /// only that one says so.
    std::optional<std::uint32_t> two_faced;
};

/// A game's own guess at what a peer's players do in a tick. `inputs` are those players', each as
/// it was last known; what is changed may point to memory that lasts until the next call.
using PeerGuess = std::function<void(std::uint32_t peer, core::Tick, std::span<isotick_input>)>;

/// What a peer has counted.
struct PeerStatistics {
    std::uint64_t confirmed = 0;  ///< ticks run on inputs that are known
    std::uint64_t steps = 0;      ///< confirmed or not
    std::uint64_t rollbacks = 0;
    std::uint64_t run_again = 0;  ///< steps that ran a tick again
    std::uint64_t most_back = 0;
    std::uint64_t stalls = 0;  ///< frames
    std::uint64_t waits = 0;   ///< frames
    std::uint64_t packets_sent = 0;
    std::uint64_t bytes_sent = 0;  ///< payload, without the headers of a transport
    std::uint64_t packets_received = 0;
    std::uint64_t packets_refused = 0;
    std::uint64_t strangers = 0;    ///< packets with another cookie
    std::uint32_t input_delay = 0;  ///< now
    /// What it decided without a majority, since all other members had restarted: those may have
    /// decided something else before (LOCKSTEP.md, "Limits").
    std::uint64_t without_majority = 0;
};

/// One peer. In each frame of the game: receive() what has come, begin_frame(), next_step() until
/// there is none, each with add_hash(), then next_packet() until there is none; add_input()
/// whenever wanted_input() asks for one. Deterministic: the same calls give the same packets and
/// orders, on every machine. Memory is bounded whatever comes in. Movable; not thread-safe.
/// Sources: Bettner and Terrano, "1500 Archers on a 28.8" (2001), for delayed inputs; Cannon's
/// GGPO for guesses, rollback and frame advantage; Lamport, "Paxos Made Simple" (2001), for who
/// takes part; RFC 6298 for round trips.
class Peer {
  public:
    [[nodiscard]] static core::Result<Peer> make(const PeerOptions& options);
    ~Peer();
    Peer(Peer&&) noexcept;
    Peer& operator=(Peer&&) noexcept;

    /// Without one, a guess is what was last known.
    void set_guess(PeerGuess guess);

    /// The tick for which this peer's own inputs are wanted, if any are now.
    [[nodiscard]] std::optional<core::Tick> wanted_input() const;
    /// Those inputs: of its players in the order of players_of(). Fails with `limit` where they
    /// are larger than 32 KiB, encoded.
    [[nodiscard]] core::Result<void> add_input(std::span<const isotick_input> inputs);

    /// A packet that arrived. Whatever it holds, nothing worse happens than that it is counted.
    void receive(std::uint32_t from, std::span<const std::byte> packet);

    /// Begins a frame at `now_ns` of this peer's own clock, which never goes back, in which the
    /// game's loop wants `due` ticks.
    [[nodiscard]] PeerFrame begin_frame(std::int64_t now_ns, std::uint64_t due);
    [[nodiscard]] std::optional<PeerStep> next_step();
    /// Whether this frame ran fewer ticks than were due since others' inputs are missing: see
    /// waits_for(). Known when there is no next step.
    [[nodiscard]] bool is_stalled() const;
    /// The hash of the state after a tick that was just run, whether on guesses or not.
    void add_hash(core::Tick tick, core::StateHash hash);

    /// The next packet that is due to some peer.
    [[nodiscard]] std::optional<OutgoingPacket> next_packet();

    /// A peer that joins needs a snapshot of the state that so many ticks made: the one that was
    /// saved before that tick or, where it is the next to be run, the state as it is. To be asked
    /// behind begin_frame() and answered before the next step.
    [[nodiscard]] std::optional<std::uint64_t> wanted_snapshot() const;
    /// Fails with `limit` above kLargestPeerSnapshot.
    [[nodiscard]] core::Result<void> add_snapshot(std::vector<std::byte> snapshot);
    /// To load, once: the state that `ticks_done` ticks made.
    struct Arrival {
        std::uint64_t ticks_done = 0;
        std::vector<std::byte> snapshot;
    };
    [[nodiscard]] std::optional<Arrival> take_arrival();

    /// Says good-bye: the others go on without this peer.
    void leave();

    [[nodiscard]] PeerState state() const;
    /// The next tick to be run; ticks below verified() were run on known inputs and stand.
    [[nodiscard]] core::Tick tick() const;
    [[nodiscard]] std::uint64_t verified() const;
    /// Of all ticks below this the inputs are known.
    [[nodiscard]] std::uint64_t confirmed() const;
    /// Where `peer` takes part, as far as is known now; ascending.
    [[nodiscard]] std::span<const Presence> presence(std::uint32_t peer) const;
    /// Whose inputs are missing for the next tick. Bit p: peer p's.
    [[nodiscard]] std::uint64_t waits_for() const;
    [[nodiscard]] const std::optional<HashMismatch>& mismatch() const;
    /// Peers that sent what no peer sends, each with the first such thing: `peer 2: an input for
    /// tick 90000, which is far ahead`.
    [[nodiscard]] const std::vector<std::string>& complaints() const;
    [[nodiscard]] PeerStatistics statistics() const;

  private:
    class Core;
    explicit Peer(std::unique_ptr<Core> core);
    std::unique_ptr<Core> core_;
};

/// The largest snapshot that a peer can hand to one that joins, in bytes.
inline constexpr std::uint64_t kLargestPeerSnapshot = std::uint64_t{64} << 20U;

}  // namespace isotick::harness
