#pragma once
// Packets between peers: the entries in them, logs of inputs, the whole.

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/plugin.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

// What the members decide, one decision after the other, and how they vote on it.

/// From `tick` on a peer takes part, or does not.
struct MemberChange {
    std::uint32_t peer = 0;
    bool joins = false;
    std::uint8_t life = 0;  ///< which of that peer's: PeerOptions::incarnation
    std::uint64_t tick = 0;
    friend bool operator==(const MemberChange&, const MemberChange&) = default;
};

/// Decisions are numbered from 0 on, and everybody applies them in that order.
struct Decision {
    std::vector<MemberChange> changes;
    bool ends = false;  ///< a majority has all ticks: who takes part in them stands
    friend bool operator==(const Decision&, const Decision&) = default;
};

/// How a member stands to the decision with that number.
struct Vote {
    std::uint64_t number = 0;    ///< it knows all decisions before that one
    std::uint64_t promised = 0;  ///< it votes in no ballot before that one
    std::uint64_t ballot = 0;    ///< in which it voted last; 0: it has not
    bool is_forced = false;      ///< as Proposal has it
    Decision decision;           ///< for which
    friend bool operator==(const Vote&, const Vote&) = default;
};

/// What a member wants decided.
struct Proposal {
    std::uint64_t number = 0;          ///< of the decision
    std::uint64_t ballot = 0;          ///< its remainder modulo kMostPeers is the member
    std::uint64_t asks = 0;            ///< bit p: others are to take no inputs from peer p
    std::optional<Decision> decision;  ///< none: it asks for promises
    /// It may have been decided in an earlier ballot, so members also vote for it if they have run
    /// ticks with inputs that it rules out.
    bool is_forced = false;
    friend bool operator==(const Proposal&, const Proposal&) = default;
};

inline constexpr std::uint64_t kLastBallot = std::uint64_t{1} << 56U;
inline constexpr std::uint64_t kLastTick = std::uint64_t{1} << 62U;
inline constexpr std::uint64_t kMostDecisions = std::uint64_t{1} << 15U;  // more than lives end
inline constexpr std::size_t kMostChanges = 64;                           // in one decision
inline constexpr std::size_t kLongestEntry = std::size_t{32} << 10U;

/// Their number, then each.
void put_changes(core::Bytes& out, std::span<const MemberChange> changes);
/// The reader fails where there are more than `most`, or they name a peer that there is not.
[[nodiscard]] std::vector<MemberChange> read_changes(core::ByteReader& reader, std::uint64_t most,
                                                     std::uint32_t peers);

void put_decision(core::Bytes& out, const Decision& decision);
[[nodiscard]] Decision read_decision(core::ByteReader& reader, std::uint32_t peers);
void put_vote(core::Bytes& out, const Vote& vote);
[[nodiscard]] Vote read_vote(core::ByteReader& reader, std::uint32_t peers);
void put_proposal(core::Bytes& out, const Proposal& proposal);
[[nodiscard]] Proposal read_proposal(core::ByteReader& reader, std::uint32_t peers);

// What one peer contributes to one tick, as bytes: the inputs of its players. Equal bytes stand for
// equal contributions.

/// `inputs` are those of one peer's players, in order.
void put_entry(core::Bytes& out, std::span<const isotick_input> inputs);

/// Whether the bytes are one input for each of that many players.
[[nodiscard]] bool is_entry(std::span<const std::byte> entry, std::size_t players);

/// Reads an entry into those of `inputs` that `columns` number, whose players are set. They point
/// into the entry. Requires is_entry.
void read_inputs(std::span<const std::byte> entry, std::span<const std::uint32_t> columns,
                 std::span<isotick_input> inputs);

/// The entry of that many players who make no input.
[[nodiscard]] core::Bytes neutral_entry(std::size_t players);

// The inputs that one peer contributes, tick after tick: its own to send, or another's as received.

/// An entry for each tick of [begin, end), without gaps. Ticks with equal entries take the memory
/// of one. Not thread-safe.
class InputLog {
  public:
    explicit InputLog(std::uint64_t first = 0) : begin_(first), end_(first) {}

    [[nodiscard]] std::uint64_t begin() const { return begin_; }
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// That the entries take.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    /// Appends the same entry for `count` ticks, at least one.
    void append(std::span<const std::byte> entry, std::uint64_t count = 1);
    /// Requires begin() <= tick < end(). Valid until the next call that changes the log.
    [[nodiscard]] std::span<const std::byte> at(std::uint64_t tick) const;
    /// Forgets the ticks before, but the latest entry stays.
    void forget_before(std::uint64_t tick);
    /// Forgets that tick and those behind it. Requires begin() <= tick <= end().
    void cut(std::uint64_t tick);

    /// Calls `take(entry, count)` for the runs of equal entries in [first, end()) until it returns
    /// false. Requires begin() <= first.
    template <class Take>
    void each_run(std::uint64_t first, const Take& take) const {
        for (std::size_t i = first < end_ ? find(first) : runs_.size(); i < runs_.size(); ++i) {
            const std::uint64_t from = first > runs_[i].first ? first : runs_[i].first;
            if (!take(std::span<const std::byte>(runs_[i].entry), run_end(i) - from)) {
                return;
            }
        }
    }

  private:
    struct Run {
        std::uint64_t first = 0;
        core::Bytes entry;
    };

    [[nodiscard]] std::size_t find(std::uint64_t tick) const;  // the run that it is in
    [[nodiscard]] std::uint64_t run_end(std::size_t run) const {
        return run + 1 < runs_.size() ? runs_[run + 1].first : end_;
    }

    std::vector<Run> runs_;  // those before front_ are forgotten
    std::size_t front_ = 0;
    std::uint64_t begin_;
    std::uint64_t end_;
    std::size_t bytes_ = 0;
};

// What peers send each other (LOCKSTEP.md, "Packets"). Reading never trusts a byte.

/// What a packet holds beyond its front, where it holds more.
enum class SectionKind : std::uint8_t {
    leaving = 1,    ///< the sender goes: its last vote
    dropped = 2,    ///< that life of the receiver does not take part any more
    missing = 3,    ///< of a peer's inputs the sender has those before a tick, and no way to more
    relay = 4,      ///< inputs of another peer
    details = 5,    ///< hashes tick by tick, where those of peers disagree
    offer = 6,      ///< about a snapshot for the receiver
    piece = 7,      ///< of that
    piece_ack = 8,  ///< so much of it has come
    ready = 9,      ///< the sender has caught up and wants to take part
    gone = 10,      ///< another peer said good-bye to the sender
    decided = 11,   ///< a decision that the receiver does not know
    proposal = 12,
    vote = 13,
};

struct Section {
    SectionKind kind = SectionKind::leaving;
    std::span<const std::byte> payload;
};

/// Inputs for consecutive ticks: `bytes` are runs of equal entries.
struct InputRuns {
    std::uint64_t first = 0;
    std::span<const std::byte> bytes;
};

/// The chain of the hashes of the first `ticks` ticks.
struct HashReport {
    std::uint64_t ticks = 0;
    std::uint64_t chain = 0;
};

struct PacketTimes {
    std::uint16_t sent_ms = 0;  ///< by the sender's clock, modulo 2^16
    std::uint16_t echo_ms = 0;  ///< the receiver's clock when it sent what the sender answers,
                                ///< later by as long as the sender took
    bool has_echo = false;
};

/// A packet, as read: it points into the bytes that were read.
struct Packet {
    std::uint8_t sender = 0;
    std::uint8_t life = 0;             ///< PeerOptions::incarnation of the sender
    bool takes_part = false;           ///< the sender, as far as it knows
    bool finished = false;             ///< the sender has run all ticks
    std::uint64_t tick = 0;            ///< the next that the sender runs
    std::uint64_t decisions = 0;       ///< how many the sender knows
    std::int64_t advantage = 0;        ///< ticks that it thinks to be ahead of the receiver
    std::optional<std::uint64_t> ack;  ///< the first input of the receiver's that it needs; none:
                                       ///< it has no state yet
    std::optional<PacketTimes> times;
    std::optional<InputRuns> inputs;  ///< the sender's own
    std::optional<HashReport> hashes;
    std::vector<Section> sections;
};

inline constexpr std::size_t kMostSections = 256;
/// A packet is kept below this unless one entry alone is larger.
inline constexpr std::size_t kUsualPacket = 1200;
inline constexpr std::size_t kLargestPacket = std::size_t{60} << 10U;

/// The cookie of a packet; none where there is none.
[[nodiscard]] std::optional<std::uint32_t> cookie_of(std::span<const std::byte> bytes);

/// Reads a packet with a cookie into `packet`, whose memory is reused. False where it is none.
[[nodiscard]] bool read_packet(std::span<const std::byte> bytes, Packet& packet);

/// Everything but the sections, which put_section adds, the last things in a packet. The inputs
/// are those of `log` from Packet::inputs->first on, as many as there is room for; `scratch` is
/// memory to use.
void put_packet(core::Bytes& out, std::uint32_t cookie, const Packet& packet, const InputLog& log,
                bool has_sections, core::Bytes& scratch);
void put_section(core::Bytes& out, SectionKind kind, std::span<const std::byte> payload);

/// The entries of `log` in [first, end) in at most `room` bytes, but at least one where there is
/// any.
void put_runs(core::Bytes& out, const InputLog& log, std::uint64_t first, std::size_t room,
              std::uint64_t end = kLastTick);

/// Calls `take(count, entry)` for each run until it returns false. False where they are malformed
/// or `take` returned that.
template <class Take>
[[nodiscard]] bool each_run(std::span<const std::byte> runs, const Take& take) {
    core::ByteReader reader(runs);
    while (reader.ok() && reader.remaining() > 0) {
        const std::uint64_t count = reader.varint(kLastTick);
        const auto entry = reader.take(reader.varint());
        if (!reader.ok() || count == 0 || entry.empty() || !take(count, entry)) {
            return false;
        }
    }
    return reader.ok();
}

/// A difference of ticks as a varint: small ones of either sign are one byte.
void put_difference(core::Bytes& out, std::uint64_t value, std::uint64_t base);
[[nodiscard]] std::uint64_t read_difference(core::ByteReader& reader, std::uint64_t base);

}  // namespace isotick::harness
