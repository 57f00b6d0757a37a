#pragma once
// What peers send each other (LOCKSTEP.md, "Packets"). Reading never trusts a byte.

#include "entry.hpp"
#include "input_log.hpp"

#include <isotick/core/detail/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// What a packet holds beyond its front, where it holds more.
enum class SectionKind : std::uint8_t {
    leaving = 1,    ///< the sender goes, and knows so many changes of membership
    dropped = 2,    ///< that life of the receiver does not take part any more
    missing = 3,    ///< of a peer's inputs the sender has those before a tick, and no way to more
    relay = 4,      ///< inputs of another peer
    details = 5,    ///< hashes tick by tick, where those of peers disagree
    offer = 6,      ///< about a snapshot for the receiver
    piece = 7,      ///< of that
    piece_ack = 8,  ///< so much of it has come
    ready = 9,      ///< the sender has caught up and wants to take part
    gone = 10,      ///< another peer said good-bye to the sender
    agreed = 11,    ///< a quorum has the changes of membership in a peer's entries before a tick
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

/// The entries of `log` from `first` on in at most `room` bytes, but at least one where there is
/// any.
void put_runs(core::Bytes& out, const InputLog& log, std::uint64_t first, std::size_t room);

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
