#pragma once
// The input block of a chunk (FORMAT.md, "Input block"): one column per player and one for the
// world, each as runs of equal inputs.

#include "bytes.hpp"

#include <isotick/replay/input_changes.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

/// The most bytes an input block may take, compressed or not, and its inputs' bytes together.
inline constexpr std::uint64_t kLongestInputBlock = std::uint64_t{64} << 20;

/// The most runs a chunk's columns may have together.
inline constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 22;

/// What a change adds, at most, to the size of its input block. A chunk in which the sum stays
/// within kLongestInputBlock keeps both limits above.
[[nodiscard]] constexpr std::uint64_t change_cost(std::uint64_t size) {
    return 32 + size + size / 8;
}

/// How the bytes of a column's inputs are laid out.
enum class PlaneChoice {
    smallest,  ///< each plane in its shortest form
    dense,     ///< all deltas of every plane: longer, but zstd makes more of it
};

/// Appends the block for `changes` over `ticks` ticks to `out`.
void encode_columns(const InputChanges& changes, std::uint32_t ticks, std::uint32_t columns,
                    PlaneChoice choice, Bytes& out);

/// Reads a block back; `changes` is overwritten. False if it is not well-formed or beyond the
/// limits, of which nothing is allocated.
[[nodiscard]] bool decode_columns(std::span<const std::byte> block, std::uint32_t ticks,
                                  std::uint32_t columns, InputChanges& changes);

}  // namespace isotick::replay
