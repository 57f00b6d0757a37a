#pragma once
// Inputs as columns: one player each, run-length coded.

#include "bytes.hpp"

#include <isotick/replay/detail/stored_ticks.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

// The input block of a chunk (FORMAT.md, "Input block"): one column per player and one for the
// world, each as runs of equal inputs.

/// The most bytes an input block may take.
inline constexpr std::uint64_t kLongestInputBlock = std::uint64_t{64} << 20;

/// What a change counts towards what a writer takes into one chunk. Where the sum stays within
/// kLongestInputBlock, the block is no longer, and PlaneChoice::full keeps within most_decoded.
[[nodiscard]] constexpr std::uint64_t change_cost(std::uint64_t size) {
    return 128 + size + size / 8;
}

/// What `changes` count towards most_decoded.
[[nodiscard]] inline std::uint64_t decoded_size(const InputChanges& changes) {
    return kChangeSize * changes.changes.size() + changes.bytes.size();
}

/// How the bytes of a column's inputs are laid out.
enum class PlaneChoice {
    smallest,  ///< each plane in its shortest form
    dense,     ///< all deltas of each plane that changes: longer, but zstd makes more of it
    full,      ///< all deltas of every plane: never less than the inputs' bytes
};

/// Appends the block for `changes` over `ticks` ticks to `out`.
void encode_columns(const InputChanges& changes, std::uint32_t ticks, std::uint32_t columns,
                    PlaneChoice choice, Bytes& out);

/// Reads a block back; `changes` is overwritten. False if it is not well-formed, or beyond
/// most_decoded, of which nothing is allocated.
[[nodiscard]] bool decode_columns(const StoredBlock& block, std::uint32_t ticks,
                                  std::uint32_t columns, InputChanges& changes);

}  // namespace isotick::replay
