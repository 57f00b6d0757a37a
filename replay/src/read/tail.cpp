#include "tail.hpp"

#include "../format/chunk_header.hpp"
#include "../format/run_starts.hpp"

#include <algorithm>

namespace isotick::replay {
namespace {

// What the first byte of an index says about the rest.
constexpr std::uint8_t kPlain = 0;
constexpr std::uint8_t kZstd = 1;

constexpr std::uint64_t kLongestVarint = 10;

// Differences of differences are near zero and may be negative.
Bytes encode_distances(const ChunkIndex& index, std::uint64_t head_size) {
    Bytes list;
    std::uint64_t previous_offset = head_size;
    std::uint64_t previous_distance = 0;
    for (const std::uint64_t offset : index.offsets) {
        const std::uint64_t distance = offset - previous_offset;
        put_varint(list, zigzag(distance - previous_distance));
        previous_offset = offset;
        previous_distance = distance;
    }
    return list;
}

bool decode_distances(std::span<const std::byte> list, std::uint64_t head_size, std::uint64_t end,
                      std::uint64_t count, ChunkIndex& index) {
    ByteReader in(list);
    index.offsets.reserve(static_cast<std::size_t>(count));
    std::uint64_t offset = head_size;
    std::uint64_t distance = 0;
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        distance += unzigzag(in.varint());
        if (distance >= end || offset + distance >= end || (i > 0 && distance < kChunkFrameSize)) {
            return false;
        }
        offset += distance;
        index.offsets.push_back(offset);
    }
    return in.at_end();
}

}  // namespace

Bytes encode_tail(const ChunkIndex& index, std::uint64_t head_size, std::uint64_t offset) {
    const Bytes plain = encode_distances(index, head_size);
    if (plain.size() > kLongestIndex) {
        return {};
    }
    Compressor compressor;
    const auto compressed = compressor.compress(plain);
    const bool zstd = !compressed.empty() && compressed.size() < plain.size();
    Bytes payload;
    put(payload, zstd ? kZstd : kPlain);
    put_varint(payload, index.ticks);
    put_varint(payload, index.offsets.size());
    put_bytes(payload, zstd ? compressed : std::span<const std::byte>(plain));
    Bytes tail = frame_chunk({.type = kIndexChunk}, payload);
    put_bytes(tail, frame_chunk({.type = kEndMark, .first = offset}, {}));
    return tail;
}

std::optional<ChunkIndex> decode_index(std::span<const std::byte> payload, std::uint64_t head_size,
                                       std::uint64_t offset, std::uint32_t chunk_ticks) {
    ByteReader in(payload);
    const auto form = in.get<std::uint8_t>();
    ChunkIndex index;
    index.ticks = in.varint();
    // Bounded by the file's size, so that what is reserved is too.
    const std::uint64_t count = in.varint(offset / kChunkFrameSize);
    const std::uint64_t end_chunk =
        index.ticks / chunk_ticks + (index.ticks % chunk_ticks == 0 ? 0 : 1);
    if (!in.ok() || end_chunk != count || form > kZstd) {
        return std::nullopt;
    }
    auto list = in.take(in.remaining());
    Decompressor decompressor;
    if (form == kZstd) {
        const auto raw =
            decompressor.decompress(list, std::min(kLongestIndex, kLongestVarint * count));
        if (!raw) {
            return std::nullopt;
        }
        list = *raw;
    }
    if (list.size() < count || !decode_distances(list, head_size, offset, count, index)) {
        return std::nullopt;
    }
    return index;
}

}  // namespace isotick::replay
