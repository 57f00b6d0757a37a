#include "range_writer.hpp"

#include <algorithm>
#include <utility>

namespace isotick::replay {
namespace {

using core::Result;

constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;

}  // namespace

bool final_is_implied(const HashStride& stride, std::uint64_t ticks) {
    const core::Tick last{ticks - 1};
    return ticks == 0 || (stride.hash_due(last) && (!stride.has_parts() || stride.parts_due(last)));
}

RangeWriter::RangeWriter(ChunkFile& source, std::uint64_t first_tick, OutputTarget target)
    : source_(source),
      first_tick_(first_tick),
      target_(std::move(target)),
      chain_(source.head(), first_tick) {}

Result<std::unique_ptr<RangeWriter>> RangeWriter::create(const std::filesystem::path& path,
                                                         bool overwrite, ChunkFile& source,
                                                         std::uint64_t first_tick) {
    auto target =
        OutputTarget::open(path, {.overwrite = overwrite, .appearance = Appearance::complete});
    if (!target) {
        return tl::unexpected(target.error());
    }
    std::unique_ptr<RangeWriter> writer(new RangeWriter(source, first_tick, *std::move(target)));
    if (auto written = writer->write_head(); !written) {
        return tl::unexpected(written.error());
    }
    return writer;
}

Result<void> RangeWriter::write_head() {
    Bytes bytes(source_.head().size);
    if (auto read = source_.read_raw(0, bytes); !read) {
        return read;
    }
    if (first_tick_ != 0) {
        put_bytes(bytes, frame_chunk({.type = kPartialMark, .first = first_tick_}, {}));
    }
    return target_.write(bytes);
}

Result<void> RangeWriter::add(const ChunkHeader& header, const TickChunk& chunk) {
    const std::span<const std::byte> payload = source_.payload();
    chain_.add(chunk);
    const auto kept = payload.first(payload.size() - 2 * kDigestSize);
    Bytes end;
    put_digest(end, chain_.session_digest());
    put_digest(end, chain_.hash_digest());
    core::StreamHasher hasher;
    hasher.update(kept);
    hasher.update(end);
    put(end, static_cast<std::uint32_t>(hasher.value()));
    index_.offsets.push_back(target_.size());
    return target_.write(encode_chunk_header(header))
        .and_then([&] { return target_.write(kept); })
        .and_then([&] { return target_.write(end); });
}

Result<void> RangeWriter::end(FinalHashes final) {
    chain_.add(final);
    final.session_digest = chain_.session_digest();
    final.hash_digest = chain_.hash_digest();
    const Bytes end = frame_chunk({.type = kFinalChunk, .first = final.ticks}, encode_final(final));
    index_.ticks = final.ticks;
    finished_ = true;
    return target_.write(end);
}

Result<bool> RangeWriter::end_anew() {
    if (!final_is_implied(source_.head().head.stride(), end_tick())) {
        return false;
    }
    FinalHashes final;
    final.ticks = end_tick();
    return end(std::move(final)).map([] { return true; });
}

Result<void> RangeWriter::copy(std::uint64_t offset, std::uint64_t bytes) {
    Bytes piece;
    while (bytes != 0) {
        piece.resize(static_cast<std::size_t>(std::min(bytes, kPiece)));
        if (auto read = source_.read_raw(offset, piece); !read) {
            return read;
        }
        if (auto written = target_.write(piece); !written) {
            return written;
        }
        offset += piece.size();
        bytes -= piece.size();
    }
    return {};
}

Result<void> RangeWriter::complete() {
    if (finished_) {
        const Bytes tail = encode_tail(index_, source_.head().size, target_.size());
        if (auto written = target_.write(tail); !written) {
            return written;
        }
    }
    return target_.complete();
}

}  // namespace isotick::replay
