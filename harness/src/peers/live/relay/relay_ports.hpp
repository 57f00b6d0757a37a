#pragma once
// Where the peers of a session over UDP are, as the relay learns it.

#include <cstdint>
#include <vector>

namespace isotick::harness {

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

}  // namespace isotick::harness
