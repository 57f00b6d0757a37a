#pragma once
// Random inputs of a simulation that does not say what its inputs are.

#include <isotick/core/random.hpp>

#include <cstdint>
#include <vector>

namespace isotick::harness {

/// Another input than `from`: mostly of the same length, with one byte changed; else of 0 to 16
/// bytes, drawn anew. Lengths and bytes are often edges: none, the most, a power of two, one bit.
[[nodiscard]] std::vector<std::uint8_t> changed_bytes(std::vector<std::uint8_t> from,
                                                      core::Pcg32& random);

}  // namespace isotick::harness
