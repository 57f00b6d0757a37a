#pragma once
// What the encoder and the decoder of input columns share.

#include <isotick/replay/detail/input_changes.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace isotick::replay {

/// How the bytes at one position of a column's inputs follow each other from run to run.
enum class PlaneMode : std::uint8_t {
    constant = 0,  ///< all the same
    dense = 1,     ///< a delta for each run but the first
    sparse = 2,    ///< a bitmap of the deltas that are not zero, then these
};

/// Whether the present runs of a column store their bytes as planes: at least two of one size.
[[nodiscard]] inline bool has_planes(std::span<const InputChange> present) {
    return present.size() > 1 && present.front().size() > 0 &&
           std::all_of(present.begin(), present.end(),
                       [&](const InputChange& run) { return run.code == present.front().code; });
}

}  // namespace isotick::replay
