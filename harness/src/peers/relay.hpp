#pragma once
// The process that stands for the network between live peers.

#include "live_messages.hpp"

#include <isotick/core/detail/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

// What goes over UDP between a peer and the relay: a packet, who sent it, and to whom.

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

// Where the peers of a session over UDP are, as the relay learns it.

/// A port for each peer, which a peer gives by sending from it. It stays a peer's own until the
/// peer comes again, with a higher incarnation.
class RelayPorts {
  public:
    explicit RelayPorts(std::uint32_t peers) : seats_(peers) {}

    /// Whether a datagram from `port` may be one of `peer`, which must be one of the session.
    [[nodiscard]] bool take(std::uint8_t peer, std::uint8_t incarnation, std::uint16_t port) {
        Seat& seat = seats_[peer];
        if (seat.port == 0 || incarnation > seat.incarnation) {
            seat = {port, incarnation};
        }
        return seat.port == port && seat.incarnation == incarnation;
    }

    /// 0: not known yet.
    [[nodiscard]] std::uint16_t port_of(std::uint32_t peer) const { return seats_[peer].port; }
    [[nodiscard]] std::uint8_t incarnation_of(std::uint32_t peer) const {
        return seats_[peer].incarnation;
    }

  private:
    struct Seat {
        std::uint16_t port = 0;
        std::uint8_t incarnation = 0;
    };

    std::vector<Seat> seats_;
};

// The process between the peers of a session over UDP.

/// Passes packets on as the simulated network of the request does, in real time, until it is told
/// to stop.
[[nodiscard]] core::Result<RelayAnswer> run_relay(const LiveRequest& request,
                                                  const RelayRequest& role);

}  // namespace isotick::harness
