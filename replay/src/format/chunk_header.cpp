#include "chunk_header.hpp"

#include "bytes.hpp"

#include <algorithm>

namespace isotick::replay {
namespace {

constexpr std::size_t kHeaderChecksumAt = 20;

}  // namespace

Bytes encode_chunk_header(const ChunkHeader& header) {
    Bytes bytes;
    put_bytes(bytes, std::as_bytes(std::span(kSyncMarker)));
    put(bytes, header.type);
    put(bytes, header.version);
    put(bytes, header.ticks_less_one);
    put(bytes, header.payload_size);
    put(bytes, header.first);
    put(bytes, checksum(bytes));
    return bytes;
}

Bytes frame_chunk(ChunkHeader header, std::span<const std::byte> payload) {
    header.payload_size = static_cast<std::uint32_t>(payload.size());
    Bytes chunk;
    chunk.reserve(kChunkFrameSize + payload.size());
    put_bytes(chunk, encode_chunk_header(header));
    put_bytes(chunk, payload);
    put(chunk, checksum(payload));
    return chunk;
}

std::optional<ChunkHeader> decode_chunk_header(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const auto marker = in.take(kSyncMarker.size());
    ChunkHeader header;
    header.type = in.get<std::uint8_t>();
    header.version = in.get<std::uint8_t>();
    header.ticks_less_one = in.get<std::uint16_t>();
    header.payload_size = in.get<std::uint32_t>();
    header.first = in.get<std::uint64_t>();
    const auto sum = in.get<std::uint32_t>();
    if (!in.ok() || header.payload_size > kLongestPayload ||
        sum != checksum(bytes.first(kHeaderChecksumAt)) ||
        !std::equal(marker.begin(), marker.end(), std::as_bytes(std::span(kSyncMarker)).begin())) {
        return std::nullopt;
    }
    return header;
}

}  // namespace isotick::replay
