#include "plain_xxh3.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace isotick::bench {

std::uint64_t plain_xxh3(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace isotick::bench
