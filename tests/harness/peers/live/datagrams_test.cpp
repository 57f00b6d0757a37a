// What sessions over UDP consist of: sockets, the ports that the relay knows, envelopes.

#include "peers/relay.hpp"
#include "system/udp_socket.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

TEST(UdpSocket, DeliversDatagramsOfThisMachine) {
    auto left = UdpSocket::open();
    auto right = UdpSocket::open();
    ASSERT_TRUE(left && right);
    EXPECT_FALSE(right->receive());
    const std::vector<std::byte> large(60'000, std::byte{7});
    left->send(right->port(), large);
    const auto datagram = right->receive();
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->from, left->port());
    EXPECT_TRUE(std::ranges::equal(datagram->bytes, large));
}

// A flood of empty ones must not keep anybody in one call.
TEST(UdpSocket, GivesOneDatagramAtATimeEvenIfItIsEmpty) {
    auto left = UdpSocket::open();
    auto right = UdpSocket::open();
    ASSERT_TRUE(left && right);
    const std::vector<std::byte> byte(1);
    for (std::size_t i = 0; i < 20; ++i) {
        left->send(right->port(), std::span(byte).first(i % 2));
    }
    for (std::size_t i = 0; i < 20; ++i) {
        const auto datagram = right->receive();
        ASSERT_TRUE(datagram) << i;
        EXPECT_EQ(datagram->from, left->port());
        EXPECT_EQ(datagram->bytes.size(), i % 2);
    }
    EXPECT_FALSE(right->receive());
}

TEST(RelayPorts, StayAPeersOwnUntilItComesAgain) {
    RelayPorts ports(3);
    EXPECT_EQ(ports.port_of(1), 0);
    EXPECT_TRUE(ports.take(1, 0, 4000));
    EXPECT_TRUE(ports.take(1, 0, 4000));
    EXPECT_FALSE(ports.take(1, 0, 5000)) << "somebody else who knows the cookie";
    EXPECT_EQ(ports.port_of(1), 4000);
    EXPECT_TRUE(ports.take(2, 0, 5000));
    EXPECT_TRUE(ports.take(1, 1, 6000)) << "it was killed and returned";
    EXPECT_FALSE(ports.take(1, 0, 4000)) << "what it sent before";
    EXPECT_FALSE(ports.take(1, 0, 6000));
    EXPECT_EQ(ports.port_of(1), 6000);
    EXPECT_EQ(ports.incarnation_of(1), 1);
}

TEST(Envelope, IsReadBackAndHeldAgainstTheCookie) {
    const std::vector<std::byte> packet(9, std::byte{3});
    core::Bytes bytes;
    write_envelope({77, 2, 3, 1, packet}, bytes);
    EXPECT_EQ(bytes.size(), 16U);
    const auto read = read_envelope(bytes, 77);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->from, 2);
    EXPECT_EQ(read->to, 3);
    EXPECT_EQ(read->incarnation, 1);
    EXPECT_TRUE(std::ranges::equal(read->packet, packet));
    EXPECT_FALSE(read_envelope(bytes, 78));
    for (std::size_t size = 0; size < 7; ++size) {
        EXPECT_FALSE(read_envelope(std::span(bytes).first(size), 77));
    }
    EXPECT_TRUE(read_envelope(std::span(bytes).first(7), 77)->packet.empty());
}

}  // namespace
}  // namespace isotick::harness
