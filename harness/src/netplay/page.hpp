#pragma once
// The memory that a netplay session shares with each of its peers: whose turn it is, what time it
// is, and the packets that cross. Used on both sides, inside the peer without the C++ library.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isotick::harness::netplay {

/// The variable that tells a peer's process the path of its page.
inline constexpr const char* kPageVariable = "ISOTICK_NETPLAY_PAGE";

inline constexpr std::uint32_t kMostPeers = 64;
/// Peer p is 10.77.0.(p + 1), and `{port}` is kFirstPort + p.
inline constexpr std::uint32_t kFirstAddress = 0x0a4d0001;
inline constexpr std::uint16_t kFirstPort = 7000;
/// To every other peer.
inline constexpr std::uint32_t kEveryone = 0xffffffff;

inline constexpr std::int64_t kNever = INT64_MAX;

/// After this many looks at the clock without a wait, each further look takes kLookCost.
inline constexpr std::uint32_t kFreeLooks = 10'000;
inline constexpr std::int64_t kLookCost = 250'000;  // ns

/// What a peer's process does while the session has the turn.
enum class Waiting : std::uint32_t {
    nothing,  ///< it had no room for more packets to send, and goes on at once
    sleep,
    packets,
    threads,  ///< all of its threads wait for each other, for ever
};

/// Something that a session cannot make deterministic or does not offer: what the peer called.
enum class Refused : std::uint32_t {
    nothing,
    raw_socket,
    other_protocol,
    packet_times,
    io_uring,
    second_process,
};

/// What kind of message a packet is.
enum class Kind : std::uint16_t {
    datagram,
    // Of a stream; `stream` numbers the side that opened it.
    connect,
    accepted,
    refused,
    data,
    taken,  ///< how many bytes were read there, in 4 bytes
    finished,
};

/// Before the bytes of each packet. They follow, and zeros up to a multiple of 8.
struct PacketHead {
    std::uint32_t size = 0;
    std::uint32_t peer = 0;  ///< who sent it, or is to get it
    std::uint16_t from_port = 0;
    std::uint16_t to_port = 0;
    Kind kind = Kind::datagram;
    std::uint16_t unused = 0;
};
static_assert(sizeof(PacketHead) == 16);

[[nodiscard]] constexpr std::uint32_t padded(std::uint32_t size) {
    return (size + 7U) & ~7U;
}

/// Packets one after the other. Filled by one side and emptied by the other, each in its turn.
struct Packets {
    static constexpr std::uint32_t kBytes = 256U << 10U;
    static constexpr std::uint32_t kMostBytes = 65'503;  // of one packet

    std::uint32_t used = 0;
    std::uint32_t unused = 0;
    std::array<unsigned char, kBytes> bytes{};

    [[nodiscard]] bool has_room(std::uint32_t size) const {
        return used <= kBytes && kBytes - used >= sizeof(PacketHead) + padded(size);
    }
};

enum class Turn : std::uint32_t { session, peer };

struct Page {
    std::atomic<std::uint32_t> turn{static_cast<std::uint32_t>(Turn::peer)};
    /// The process whose sockets and waits are the session's; 0: none yet.
    std::atomic<std::int32_t> owner{0};
    std::atomic<std::uint32_t> loaded{0};   ///< the library is in the process
    std::atomic<std::uint32_t> leaving{0};  ///< the owner is on its way out of `exit`
    std::atomic<std::uint32_t> refused{0};  ///< the first, of Refused
    /// Processes that it forked and that run its program still: the first of them. 0: none.
    std::array<std::atomic<std::int32_t>, 8> copies{};
    std::atomic<std::uint32_t> forks{0};    ///< begun
    std::atomic<std::uint32_t> arrived{0};  ///< copies that have begun to run

    // Set by the session before the process starts.
    std::uint32_t self = 0;
    std::uint32_t peers = 0;
    std::uint64_t chance = 0;   ///< seed of what the system answers at random
    std::int64_t date_ns = 0;   ///< what CLOCK_REALTIME shows at 0
    std::int64_t clock_ns = 0;  ///< what CLOCK_MONOTONIC shows at 0

    // Set by the session with each turn of the peer.
    std::int64_t now_ns = 0;
    std::uint32_t interrupted = 0;  ///< a signal has been sent: what waits ends with EINTR

    // Set by the peer with each turn of the session.
    Waiting waiting = Waiting::nothing;
    std::int64_t until_ns = 0;
    std::uint32_t wakes_by_packet = 0;

    // Counted by the peer.
    std::uint64_t spun = 0;      ///< looks at the clock that took time
    std::uint64_t unheard = 0;   ///< packets to a port where nobody listened
    std::uint64_t overrun = 0;   ///< packets for which a socket had no room
    std::uint64_t threads = 0;   ///< that it started
    std::uint64_t unplaced = 0;  ///< packets sent to an address that no peer has

    Packets sent;
    Packets received;
};

}  // namespace isotick::harness::netplay
