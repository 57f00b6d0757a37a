#include "range_writer.hpp"

#include "../format/checksum.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::replay {
namespace {

using core::Result;

constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;

}  // namespace

RangeWriter::RangeWriter(ChunkFile& source, OutputTarget target)
    : source_(source), target_(std::move(target)), chain_(source.head()) {}

Result<std::unique_ptr<RangeWriter>> RangeWriter::create(const std::filesystem::path& path,
                                                         bool overwrite, ChunkFile& source) {
    const WriterOptions options{.overwrite = overwrite, .appearance = Appearance::complete};
    ISOTICK_TRY_ASSIGN(auto target, OutputTarget::open(path, options));
    std::unique_ptr<RangeWriter> writer(new RangeWriter(source, std::move(target)));
    ISOTICK_TRY(writer->write_head());
    return writer;
}

Result<void> RangeWriter::write_head() {
    Bytes bytes(source_.head().size);
    ISOTICK_TRY(source_.read_raw(0, bytes));
    return target_.write(bytes);
}

Result<void> RangeWriter::add(const ChunkHeader& header, const TickChunk& chunk) {
    const std::span<const std::byte> payload = source_.payload();
    chain_.add(chunk);
    Bytes end;
    put(end, checksum(payload));
    index_.offsets.push_back(target_.size());
    return target_.write(encode_chunk_header(header))
        .and_then([&] { return target_.write(payload); })
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

Result<void> RangeWriter::copy(std::uint64_t offset, std::uint64_t bytes) {
    Bytes piece;
    while (bytes != 0) {
        piece.resize(static_cast<std::size_t>(std::min(bytes, kPiece)));
        ISOTICK_TRY(source_.read_raw(offset, piece));
        ISOTICK_TRY(target_.write(piece));
        offset += piece.size();
        bytes -= piece.size();
    }
    return {};
}

Result<void> RangeWriter::complete() {
    if (finished_) {
        const Bytes tail = encode_tail(index_, source_.head().size, target_.size());
        ISOTICK_TRY(target_.write(tail));
    }
    return target_.complete();
}

}  // namespace isotick::replay
