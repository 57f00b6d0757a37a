#pragma once
// The optional end of a recording: an index of its tick chunks and an end mark that points to it.

#include "../format/bytes.hpp"
#include "../format/zstd_block.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::replay {

/// The most bytes an index may take, compressed or not.
inline constexpr std::uint64_t kLongestIndex = std::uint64_t{64} << 20;

/// Where the tick chunks of a recording begin, in bytes from the start of the file.
struct ChunkIndex {
    std::uint64_t ticks = 0;
    std::vector<std::uint64_t> offsets;
};

/// Index chunk and end mark, to be written at `offset`, the file's end so far. `head_size` is
/// where the first chunk may begin. Empty if the index would be too long: then there is no tail.
[[nodiscard]] Bytes encode_tail(const ChunkIndex& index, std::uint64_t head_size,
                                std::uint64_t offset);

/// Reads an index chunk's payload, of a chunk at `offset`. None if it is malformed, does not
/// ascend, or does not fit `chunk_ticks`.
[[nodiscard]] std::optional<ChunkIndex> decode_index(std::span<const std::byte> payload,
                                                     std::uint64_t head_size, std::uint64_t offset,
                                                     std::uint32_t chunk_ticks);

}  // namespace isotick::replay
