#pragma once
// Differences as numbers that are small where the difference is: 0, −1, 1, −2 … become 0, 1, 2, 3 …

#include <cstdint>

namespace isotick::replay {

/// `difference` is one modulo 2^64.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
    return difference << 1 ^ (std::uint64_t{0} - (difference >> 63));
}
[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t code) {
    return code >> 1 ^ (std::uint64_t{0} - (code & 1));
}

}  // namespace isotick::replay
