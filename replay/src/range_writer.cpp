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

RangeWriter::~RangeWriter() {
    if (!completed_) {
        target_.discard();
    }
}

Result<std::unique_ptr<RangeWriter>> RangeWriter::create(const std::filesystem::path& path,
                                                         bool overwrite, ChunkFile& source,
                                                         std::uint64_t first_tick) {
    auto target = OutputTarget::open(path, {.overwrite = overwrite});
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
    payload_.assign(kept.begin(), kept.end());
    put_digest(payload_, chain_.session_digest());
    put_digest(payload_, chain_.hash_digest());
    index_.offsets.push_back(target_.size());
    return target_.write(frame_chunk(header, payload_));
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
    while (bytes != 0) {
        payload_.resize(static_cast<std::size_t>(std::min(bytes, kPiece)));
        if (auto read = source_.read_raw(offset, payload_); !read) {
            return read;
        }
        if (auto written = target_.write(payload_); !written) {
            return written;
        }
        offset += payload_.size();
        bytes -= payload_.size();
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
    auto completed = target_.complete();
    completed_ = completed.has_value();
    return completed;
}

}  // namespace isotick::replay
