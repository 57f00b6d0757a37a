#pragma once
// The memory of this process.

#include <cstdint>
#include <span>
#include <vector>

namespace isotick::harness {

struct MappedRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// All ranges of addresses that are in use, in order; empty where that cannot be known.
[[nodiscard]] std::vector<MappedRange> mapped_ranges();

/// Whether a value may be an address: in what is mapped, or where Linux places programs, heaps and
/// libraries, since what it pointed to may be gone.
[[nodiscard]] bool is_address(std::uint64_t word, std::span<const MappedRange> mapped);

}  // namespace isotick::harness
