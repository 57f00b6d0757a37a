#pragma once
// A snapshot on its way to a peer that joins, in pieces, over a network that loses them.

#include "packet.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

inline constexpr std::size_t kPiece = 1024;        // bytes, but of the last
inline constexpr std::uint64_t kPieceWindow = 64;  // pieces that may be on their way

/// Pieces below `next` have come, and of those behind it the ones whose bit is set: bit n is that
/// of piece next + 1 + n.
struct PieceAck {
    std::uint64_t ticks_done = 0;
    std::uint64_t next = 0;
    std::uint64_t beyond = 0;
};

void put_piece_ack(core::Bytes& out, const PieceAck& ack);
[[nodiscard]] std::optional<PieceAck> read_piece_ack(std::span<const std::byte> bytes);

/// The sending side, for one receiver.
class SnapshotSender {
  public:
    /// `chain` is that of the hashes of all ticks before.
    SnapshotSender(std::uint64_t ticks_done, std::uint64_t chain,
                   std::shared_ptr<const std::vector<std::byte>> bytes)
        : ticks_done_(ticks_done),
          chain_(chain),
          bytes_(std::move(bytes)),
          sent_(kPieceWindow, kNotSent) {}

    [[nodiscard]] std::uint64_t ticks_done() const { return ticks_done_; }
    [[nodiscard]] std::uint64_t chain() const { return chain_; }
    [[nodiscard]] std::uint64_t size() const { return bytes_->size(); }

    void take(const PieceAck& ack);
    /// Puts the payload of the next piece that is due, if any: not sent yet, or so long ago that it
    /// must be lost. `round_ns`: how long an answer takes.
    [[nodiscard]] bool put_piece(core::Bytes& out, std::int64_t now_ns, std::int64_t round_ns);

  private:
    static constexpr std::int64_t kNotSent = INT64_MIN;
    static constexpr std::int64_t kCame = INT64_MAX;
    [[nodiscard]] std::uint64_t pieces() const { return (bytes_->size() + kPiece - 1) / kPiece; }

    std::uint64_t ticks_done_;
    std::uint64_t chain_;
    std::shared_ptr<const std::vector<std::byte>> bytes_;
    std::uint64_t next_ = 0;
    std::vector<std::int64_t> sent_;  // when, of piece n at n modulo kPieceWindow
};

/// The receiving side. It takes memory as pieces come, not as announced.
class SnapshotReceiver {
  public:
    SnapshotReceiver(std::uint64_t ticks_done, std::uint64_t size)
        : ticks_done_(ticks_done), size_(size) {}

    [[nodiscard]] std::uint64_t ticks_done() const { return ticks_done_; }
    [[nodiscard]] bool is_complete() const { return next_ * kPiece >= size_; }
    /// False where the payload is no piece of this snapshot.
    [[nodiscard]] bool take(std::span<const std::byte> payload);
    [[nodiscard]] PieceAck ack() const { return {ticks_done_, next_, beyond_}; }
    /// Requires is_complete.
    [[nodiscard]] std::vector<std::byte> take_bytes() {
        bytes_.resize(size_);
        return std::move(bytes_);
    }

  private:
    std::uint64_t ticks_done_;
    std::uint64_t size_;
    std::uint64_t next_ = 0;
    std::uint64_t beyond_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace isotick::harness
