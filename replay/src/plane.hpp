#pragma once
// What the encoder and the decoder of input columns share.

#include <isotick/replay/input_changes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::replay {

/// Bits of a column's first varint, below its number of runs minus 1.
inline constexpr std::uint64_t kOneCode = 1;         ///< all runs have the same code
inline constexpr std::uint64_t kStartsAsBitmap = 2;  ///< run starts are a bitmap, not lengths

/// How the bytes at one position of a column's inputs follow each other from run to run.
enum class PlaneMode : std::uint8_t {
    constant = 0,  ///< all the same
    dense = 1,     ///< a delta for each run but the first
    sparse = 2,    ///< a bitmap of the deltas that are not zero, then these
};

[[nodiscard]] constexpr std::size_t bits_size(std::size_t bits) {
    return (bits + 7) / 8;
}

inline void set_bit(std::span<std::byte> bitmap, std::size_t bit) {
    bitmap[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
}

[[nodiscard]] inline bool bit_of(std::span<const std::byte> bitmap, std::size_t bit) {
    return (std::to_integer<unsigned>(bitmap[bit / 8]) >> (bit % 8) & 1U) != 0;
}

/// Whether the present runs of a column store their bytes as planes: at least two of one size.
[[nodiscard]] inline bool has_planes(std::span<const InputChange> present) {
    return present.size() > 1 && present.front().size() > 0 &&
           std::all_of(present.begin(), present.end(),
                       [&](const InputChange& run) { return run.code == present.front().code; });
}

}  // namespace isotick::replay
