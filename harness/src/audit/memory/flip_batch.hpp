#pragma once
// Single bits, changed one after the other in copies of the process, some of which break.

#include "../probes/stage.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

namespace isotick::harness {

/// Bits that can be changed, by number.
struct FlipBatch {
    std::size_t count = 0;
    /// Changes bits `from` to before `to` in a copy, keeps the number of each in `current` before
    /// it does, and adds to the facts, which are empty.
    std::function<core::Result<void>(Stage::Instance& original, std::size_t from, std::size_t to,
                                     std::atomic<std::size_t>& current, FlipFacts& facts)>
        flip;
    std::function<std::string(std::size_t number)> name;  ///< `bit 3 of byte 17 of the snapshot`
};

/// Changes all of them. Those that break a copy are told, and the others measured all the same; but
/// after a few of the first, which may hang, no more are tried.
void flip_all(Stage& stage, const FlipBatch& batch, FlipFacts& facts);

/// One bit of `size` bytes, drawn for the bit of that number.
struct DrawnBit {
    std::uint64_t byte = 0;
    unsigned bit = 0;
};
[[nodiscard]] DrawnBit draw_bit(std::uint64_t seed, std::size_t number, std::uint64_t size);

}  // namespace isotick::harness
