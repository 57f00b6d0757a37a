#include "udp_socket.hpp"

#include <string>

#include <enet/enet.h>

namespace isotick::harness {
namespace {

constexpr std::uint32_t kLoopback = 0x7f000001;
constexpr int kBufferBytes = 4 << 20;  // of the system, for each direction; it may give less

ENetAddress loopback(std::uint16_t port) {
    ENetAddress address{};
    address.host = ENET_HOST_TO_NET_32(kLoopback);
    address.port = port;
    return address;
}

}  // namespace

core::Result<UdpSocket> UdpSocket::open(std::uint16_t port) {
    if (enet_initialize() != 0) {
        return system_failure("cannot start ENet");
    }
    FileDescriptor socket(enet_socket_create(ENET_SOCKET_TYPE_DATAGRAM));
    ENetAddress address = loopback(port);
    if (socket.get() < 0 || enet_socket_set_option(socket.get(), ENET_SOCKOPT_NONBLOCK, 1) != 0) {
        return system_failure("cannot open a UDP socket");
    }
    enet_socket_set_option(socket.get(), ENET_SOCKOPT_RCVBUF, kBufferBytes);
    enet_socket_set_option(socket.get(), ENET_SOCKOPT_SNDBUF, kBufferBytes);
    if (enet_socket_bind(socket.get(), &address) != 0) {
        auto failed = system_failure("cannot have the UDP port " + std::to_string(port));
        failed.value().code = port == 0 ? core::ErrorCode::io : core::ErrorCode::usage;
        return failed;
    }
    if (enet_socket_get_address(socket.get(), &address) != 0) {
        return system_failure("cannot learn the port of a UDP socket");
    }
    return UdpSocket(std::move(socket), address.port);
}

void UdpSocket::send(std::uint16_t to, std::span<const std::byte> bytes) {
    const ENetAddress address = loopback(to);
    ENetBuffer buffer{};
    buffer.data = const_cast<std::byte*>(bytes.data());  // ENet reads it only
    buffer.dataLength = bytes.size();
    enet_socket_send(socket_.get(), &address, &buffer, 1);
}

std::optional<Datagram> UdpSocket::receive() {
    constexpr int kMostErrors = 16;  // such as that nobody listens at a port: no datagram
    for (int errors = 0; errors < kMostErrors; ++errors) {
        ENetAddress address{};
        ENetBuffer buffer{};
        buffer.data = buffer_.data();
        buffer.dataLength = buffer_.size();
        const int size = enet_socket_receive(socket_.get(), &address, &buffer, 1);
        if (size >= 0) {  // ENet says 0 for nothing and for an empty one: that has a sender
            return address.port == 0
                       ? std::nullopt
                       : std::optional(Datagram{address.port, std::span(buffer_).first(
                                                                  static_cast<std::size_t>(size))});
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
