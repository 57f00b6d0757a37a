#include <isotick/core/hash.hpp>
#include <isotick/core/random.hpp>

#include <cassert>
#include <cstddef>
#include <vector>

namespace isotick::core {

std::uint64_t Pcg32::next64() {
    const std::uint64_t high = next();
    return (high << 32U) | next();
}

std::uint32_t Pcg32::below(std::uint32_t bound) {
    assert(bound > 0);
    // 2^32 mod bound: above it, every remainder is equally frequent.
    const std::uint32_t threshold = (0U - bound) % bound;
    std::uint32_t drawn = next();
    while (drawn < threshold) {
        drawn = next();
    }
    return drawn % bound;
}

std::int64_t Pcg32::between(std::int64_t low, std::int64_t high) {
    assert(low <= high);
    const std::uint64_t count =
        static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    std::uint64_t drawn = next64();
    if (count == 0) {  // all 2^64 of them
        return static_cast<std::int64_t>(drawn);
    }
    const std::uint64_t threshold = (0U - count) % count;
    while (drawn < threshold) {
        drawn = next64();
    }
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + drawn % count);
}

float Pcg32::unit_float() {
    return static_cast<float>(next() >> 8U) * 0x1p-24F;
}

double Pcg32::unit_double() {
    return static_cast<double>(next64() >> 11U) * 0x1p-53;
}

bool Pcg32::chance(std::uint32_t numerator, std::uint32_t denominator) {
    return below(denominator) < numerator;
}

std::uint64_t derive_seed(std::uint64_t root, std::initializer_list<std::uint64_t> path) {
    std::vector<std::byte> bytes;
    bytes.reserve(8 * (1 + path.size()));
    const auto append = [&bytes](std::uint64_t value) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            bytes.push_back(static_cast<std::byte>((value >> shift) & 0xffU));
        }
    };
    append(root);
    for (const std::uint64_t number : path) {
        append(number);
    }
    return hash_bytes(bytes);
}

}  // namespace isotick::core
