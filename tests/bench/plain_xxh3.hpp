#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::bench {

/// XXH3-64 as it is compiled with these flags, without choosing by processor as hash_bytes does.
[[nodiscard]] std::uint64_t plain_xxh3(std::span<const std::byte> bytes);

}  // namespace isotick::bench
