#pragma once
// What goes over UDP between a peer and the relay: a packet, who sent it, and to whom.

#include <isotick/core/detail/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

/// Little-endian: cookie (4 bytes), from, to, incarnation of the sender (1 byte each), the packet.
struct Envelope {
    std::uint32_t cookie = 0;  ///< of the session; what has another one is a stranger's
    std::uint8_t from = 0;
    std::uint8_t to = 0;
    std::uint8_t incarnation = 0;
    std::span<const std::byte> packet;
};

inline void write_envelope(const Envelope& envelope, core::Bytes& out) {
    out.clear();
    core::put(out, envelope.cookie);
    core::put(out, envelope.from);
    core::put(out, envelope.to);
    core::put(out, envelope.incarnation);
    core::put_bytes(out, envelope.packet);
}

/// None where the bytes are no envelope with that cookie.
[[nodiscard]] inline std::optional<Envelope> read_envelope(std::span<const std::byte> bytes,
                                                           std::uint32_t cookie) {
    core::ByteReader reader(bytes);
    Envelope envelope;
    envelope.cookie = reader.get<std::uint32_t>();
    envelope.from = reader.get<std::uint8_t>();
    envelope.to = reader.get<std::uint8_t>();
    envelope.incarnation = reader.get<std::uint8_t>();
    envelope.packet = reader.take(reader.remaining());
    return reader.ok() && envelope.cookie == cookie ? std::optional(envelope) : std::nullopt;
}

}  // namespace isotick::harness
