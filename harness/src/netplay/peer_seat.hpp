#pragma once
// One peer of a netplay session: its process, the page that it shares with us, and its turns.

#include "../system/process.hpp"
#include "page.hpp"

#include <isotick/core/result.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::netplay {

/// A program as its process is started.
struct PeerStart {
    std::uint32_t self = 0;
    std::uint32_t peers = 0;
    std::uint64_t chance = 0;              ///< seed of what the system answers at random
    std::int64_t now_ns = 0;               ///< of the session
    std::vector<std::string> words;        ///< the program, found in PATH, and its arguments
    std::vector<std::string> environment;  ///< all of it, `NAME=value`
    std::string output;                    ///< a new file for what it prints
};

/// The library that answers in a peer, as a file without a name. Fails with `usage` where this
/// build has none.
[[nodiscard]] core::Result<FileDescriptor> peer_library();

/// Fails with `usage` where the program is not found, or is one whose clocks and sockets cannot be
/// answered, as a static one.
[[nodiscard]] core::Result<void> check_program(const std::string& program);

/// A process that runs when it has the turn. Movable.
class PeerSeat {
  public:
    [[nodiscard]] static core::Result<PeerSeat> start(const PeerStart& start, int library);
    ~PeerSeat();
    PeerSeat(PeerSeat&& other) noexcept;
    PeerSeat& operator=(PeerSeat&&) = delete;

    enum class Turned {
        waits,      ///< it gave the turn back
        ended,      ///< its process has
        timed_out,  ///< it did neither for as long as it may take
    };

    /// Gives it the turn, and waits until it gives it back.
    Turned run(std::int64_t now_ns, std::chrono::milliseconds patience);

    /// Asks it to end, at its next turn.
    void interrupt();
    /// Ends it.
    ProcessEnd kill();

    /// Whether there is room for a packet of that size beside what it is yet to receive.
    [[nodiscard]] bool has_room(std::size_t size) const;
    void put_received(const PacketHead& head, std::span<const std::byte> bytes);
    /// Calls `take` with each packet that it has sent since the last time, in their order.
    template <class Take>
    void take_sent(const Take& take) {
        Packets& sent = page_->sent;
        const std::uint32_t used = std::min(sent.used, Packets::kBytes);
        for (std::uint32_t at = 0; used - at >= sizeof(PacketHead);) {
            PacketHead head;
            std::memcpy(&head, &sent.bytes[at], sizeof head);
            at += static_cast<std::uint32_t>(sizeof head);
            if (head.size > Packets::kMostBytes || padded(head.size) > used - at) {
                break;  // it wrote over its page
            }
            take(head, std::as_bytes(std::span(sent.bytes).subspan(at, head.size)));
            at += padded(head.size);
        }
        sent.used = 0;
    }

    [[nodiscard]] const Page& page() const { return *page_; }
    /// How it ended, once it has.
    [[nodiscard]] const std::optional<ProcessEnd>& end() const { return end_; }

  private:
    PeerSeat(Process process, Page* page, FileDescriptor file);
    void hear_copies() const;

    Process process_;
    Page* page_;
    FileDescriptor file_;  // of the page
    std::optional<ProcessEnd> end_;
};

/// Why a peer's session can't be relied on, in words.
[[nodiscard]] std::string_view words_of(Refused reason);

}  // namespace isotick::harness::netplay
