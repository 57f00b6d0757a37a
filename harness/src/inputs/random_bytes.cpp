#include "random_bytes.hpp"

#include <array>

namespace isotick::harness {
namespace {

constexpr std::uint32_t kLongest = 16;

std::size_t draw_length(core::Pcg32& random) {
    constexpr std::array<std::uint8_t, 6> kEdges{0, 1, 2, 4, 8, kLongest};
    const bool edge = random.chance(1, 2);
    return edge ? kEdges[random.below(kEdges.size())] : random.below(kLongest + 1);
}

std::uint8_t draw_byte(core::Pcg32& random) {
    constexpr std::array<std::uint8_t, 12> kEdges{0,    0x01, 0x02, 0x04, 0x08, 0x10,
                                                  0x20, 0x40, 0x7f, 0x80, 0xfe, 0xff};
    const bool edge = random.chance(1, 2);
    return edge ? kEdges[random.below(kEdges.size())]
                : static_cast<std::uint8_t>(random.below(256));
}

}  // namespace

std::vector<std::uint8_t> changed_bytes(std::vector<std::uint8_t> from, core::Pcg32& random) {
    const bool keep_length = !from.empty() && random.chance(3, 4);
    if (keep_length) {
        std::uint8_t& byte = from[random.below(static_cast<std::uint32_t>(from.size()))];
        const std::uint8_t before = byte;
        while (byte == before) {
            byte = draw_byte(random);
        }
        return from;
    }
    from.resize(draw_length(random));
    for (std::uint8_t& byte : from) {
        byte = draw_byte(random);
    }
    return from;
}

}  // namespace isotick::harness
