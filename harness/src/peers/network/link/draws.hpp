#pragma once
// The random numbers of one packet.

#include <isotick/core/random.hpp>

#include <cstdint>

namespace isotick::harness {

/// `range` times `draw` / 2^32, rounded down: uniform from 0 to below `range` for a uniform draw.
[[nodiscard]] constexpr std::uint64_t scaled(std::uint32_t draw, std::uint64_t range) {
    return (range >> 32U) * draw + (((range & 0xffffffffU) * draw) >> 32U);
}

/// Whether a uniform draw hits a share; exact but for 2^-32.
[[nodiscard]] constexpr bool hits(std::uint32_t draw, std::uint32_t per_mille) {
    return scaled(draw, 1000) < per_mille;
}

/// Always the same number of draws in the same order, whatever they are used for: so packet n has
/// the same ones on every link with its seed, and a setting changes nothing but itself.
struct PacketDraws {
    std::uint32_t loss;
    std::uint32_t jitter;
    std::uint32_t duplication;
    std::uint32_t copy_jitter;
    std::uint32_t reordering;
    std::uint32_t hold_back;

    [[nodiscard]] static PacketDraws next(core::Pcg32& random) {
        PacketDraws draws{};
        draws.loss = random.next();
        draws.jitter = random.next();
        draws.duplication = random.next();
        draws.copy_jitter = random.next();
        draws.reordering = random.next();
        draws.hold_back = random.next();
        return draws;
    }
};

}  // namespace isotick::harness
