#pragma once
// The 24 bytes in front of every chunk, and the limits of what follows them.

#include "bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace isotick::replay {

inline constexpr std::size_t kChunkHeaderSize = 24;
inline constexpr std::size_t kPayloadChecksumSize = 4;
/// What a chunk takes besides its payload.
inline constexpr std::size_t kChunkFrameSize = kChunkHeaderSize + kPayloadChecksumSize;
inline constexpr std::uint32_t kLongestPayload = std::uint32_t{256} << 20;
inline constexpr std::uint8_t kChunkVersion = 1;

/// Chunk types. Those with the high bit may be skipped by readers that do not know them.
inline constexpr std::uint8_t kTickChunk = 0x01;
inline constexpr std::uint8_t kFinalChunk = 0x02;
inline constexpr std::uint8_t kIndexChunk = 0x82;
inline constexpr std::uint8_t kEndMark = 0x83;
[[nodiscard]] constexpr bool is_optional(std::uint8_t type) {
    return (type & 0x80) != 0;
}

/// The last tick that a chunk may start with, so that the end of none overflows.
inline constexpr std::uint64_t kLastChunkStart = UINT64_MAX - 65536;

/// Begins every chunk. No byte of it is ASCII, and together they are not UTF-8.
inline constexpr std::array<std::uint8_t, 4> kSyncMarker = {0xfe, 0xc0, 0xde, 0xf5};

struct ChunkHeader {
    std::uint8_t type = 0;
    std::uint8_t version = kChunkVersion;
    std::uint16_t ticks_less_one = 0;  ///< of a tick chunk; 0 in others
    std::uint32_t payload_size = 0;
    std::uint64_t first = 0;  ///< first tick; end of the last one; the index's offset

    [[nodiscard]] std::uint32_t ticks() const { return std::uint32_t{ticks_less_one} + 1; }
    /// Bytes of the whole chunk.
    [[nodiscard]] std::uint64_t chunk_size() const { return kChunkFrameSize + payload_size; }
};

/// The kChunkHeaderSize bytes in front of a payload.
[[nodiscard]] Bytes encode_chunk_header(const ChunkHeader& header);

/// A whole chunk: header, payload, payload checksum. `header.payload_size` is filled in.
[[nodiscard]] Bytes frame_chunk(ChunkHeader header, std::span<const std::byte> payload);

/// Reads kChunkHeaderSize bytes; none if sync marker, checksum or length are wrong.
[[nodiscard]] std::optional<ChunkHeader> decode_chunk_header(std::span<const std::byte> bytes);

}  // namespace isotick::replay
