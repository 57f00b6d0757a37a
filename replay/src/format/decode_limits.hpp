#pragma once
// How much a stored block may stand for (FORMAT.md, "Limits"): reading takes memory and time in
// proportion to the file, whatever the file says.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::replay {

/// A block as it is decoded.
struct StoredBlock {
    std::span<const std::byte> raw;
    std::uint64_t bytes = raw.size();  ///< that it takes in the file, where it may be compressed
};

/// What a change of an input counts besides its bytes, and a run of ticks with the same dt. About
/// the memory that it takes.
inline constexpr std::uint64_t kChangeSize = 16;
inline constexpr std::uint64_t kDtRunSize = 64;

/// The most that a block of `stored` bytes may decode to: what it holds, counted as above, and the
/// raw block where it is compressed. Blocks that are stored raw, with no byte of an input spared,
/// always keep within it.
[[nodiscard]] constexpr std::uint64_t most_decoded(std::uint64_t stored) {
    return std::min((std::uint64_t{1} << 14) + 256 * stored, (std::uint64_t{1} << 23) + stored);
}

/// The most bytes that a compressed block may have raw.
inline constexpr std::uint64_t kLongestContent = std::uint64_t{1} << 22;

/// True if a block of `raw` bytes, which decodes to `decoded`, may be stored compressed to
/// `stored` bytes.
[[nodiscard]] constexpr bool may_be_compressed(std::uint64_t stored, std::uint64_t raw,
                                               std::uint64_t decoded) {
    return stored < raw && raw <= kLongestContent && std::max(raw, decoded) <= most_decoded(stored);
}

}  // namespace isotick::replay
