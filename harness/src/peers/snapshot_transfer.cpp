#include "snapshot_transfer.hpp"

#include <algorithm>

namespace isotick::harness {

void put_piece_ack(core::Bytes& out, const PieceAck& ack) {
    core::put_varint(out, ack.ticks_done);
    core::put_varint(out, ack.next);
    core::put(out, ack.beyond);
}

std::optional<PieceAck> read_piece_ack(std::span<const std::byte> bytes) {
    core::ByteReader reader(bytes);
    PieceAck ack;
    ack.ticks_done = reader.varint(kLastTick);
    ack.next = reader.varint();
    ack.beyond = reader.get<std::uint64_t>();
    return reader.at_end() ? std::optional(ack) : std::nullopt;
}

void SnapshotSender::take(const PieceAck& ack) {
    if (ack.ticks_done != ticks_done_ || ack.next < next_ || ack.next > pieces()) {
        return;
    }
    for (; next_ < ack.next; ++next_) {
        sent_[next_ % kPieceWindow] = kNotSent;
    }
    for (std::uint64_t bit = 0; bit + 1 < kPieceWindow; ++bit) {
        if ((ack.beyond >> bit & 1U) != 0) {
            sent_[(next_ + 1 + bit) % kPieceWindow] = kCame;
        }
    }
}

bool SnapshotSender::put_piece(core::Bytes& out, std::int64_t now_ns, std::int64_t round_ns) {
    constexpr std::int64_t kSlack = 50'000'000;
    const std::uint64_t last = std::min(pieces(), next_ + kPieceWindow);
    for (std::uint64_t piece = next_; piece < last; ++piece) {
        std::int64_t& sent = sent_[piece % kPieceWindow];
        if (sent != kNotSent && (sent == kCame || now_ns - sent < 2 * round_ns + kSlack)) {
            continue;
        }
        sent = now_ns;
        core::put_varint(out, ticks_done_);
        core::put_varint(out, piece);
        const auto rest = std::span(*bytes_).subspan(static_cast<std::size_t>(piece * kPiece));
        core::put_bytes(out, rest.first(std::min(rest.size(), kPiece)));
        return true;
    }
    return false;
}

bool SnapshotReceiver::take(std::span<const std::byte> payload) {
    core::ByteReader reader(payload);
    const std::uint64_t ticks_done = reader.varint(kLastTick);
    const std::uint64_t piece = reader.varint((size_ + kPiece - 1) / kPiece);
    if (!reader.ok() || ticks_done != ticks_done_) {
        return false;
    }
    const std::uint64_t at = piece * kPiece;
    if (at >= size_ || reader.remaining() != std::min<std::uint64_t>(kPiece, size_ - at)) {
        return false;
    }
    if (piece < next_ || piece - next_ >= kPieceWindow) {
        return true;  // again, or ahead of what was asked for
    }
    const auto bytes = reader.take(reader.remaining());
    bytes_.resize(std::max<std::size_t>(bytes_.size(), at + bytes.size()));
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    if (piece > next_) {
        beyond_ |= std::uint64_t{1} << (piece - next_ - 1);
        return true;
    }
    for (bool more = true; more;) {
        ++next_;
        more = (beyond_ & 1U) != 0;
        beyond_ >>= 1U;
    }
    return true;
}

}  // namespace isotick::harness
