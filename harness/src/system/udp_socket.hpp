#pragma once
// Datagrams between processes of this machine. ENet's sockets, and nothing else of it.

#include "posix.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// A datagram that came.
struct Datagram {
    std::uint16_t from = 0;            ///< the sender's port
    std::span<const std::byte> bytes;  ///< valid until the next call
};

/// A UDP socket on the loopback address, which no other machine reaches. Movable.
class UdpSocket {
  public:
    /// On this port; 0: on any that is free. Fails with `usage` where another program has it.
    [[nodiscard]] static core::Result<UdpSocket> open(std::uint16_t port = 0);

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// To wait for.
    [[nodiscard]] int file() const { return socket_.get(); }

    /// To a port of this machine. What the system has no room for is lost, as on any way.
    void send(std::uint16_t to, std::span<const std::byte> bytes);

    /// The next datagram that is there, if any; it may be empty. Never waits, and takes no more
    /// than one: who calls this in a loop sets a limit.
    [[nodiscard]] std::optional<Datagram> receive();

  private:
    UdpSocket(FileDescriptor socket, std::uint16_t port)
        : socket_(std::move(socket)), port_(port), buffer_(kLargest) {}

    static constexpr std::size_t kLargest = 65'536;

    FileDescriptor socket_;
    std::uint16_t port_;
    std::vector<std::byte> buffer_;
};

}  // namespace isotick::harness
