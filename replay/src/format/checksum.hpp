#pragma once
// The 32-bit checksum of heads, headers and payloads.

#include <isotick/core/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::replay {

/// The low half of XXH3-64.
[[nodiscard]] inline std::uint32_t checksum(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(core::hash_bytes(bytes));
}

}  // namespace isotick::replay
