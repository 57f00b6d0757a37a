#include "pile_plan.hpp"

#include <isotick/core/simulation_type.hpp>

namespace isotick::engines {
namespace {

constexpr std::size_t kPushBytes = 4;
constexpr std::uint64_t kTicksPerPush = 8;
constexpr float kSpacing = 1.5F;  // metres between centres; a body is at most 1 m wide

// SplitMix64: a well-mixed number for each counter (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

// Byte number `which` of `bits`, as a number from 0 to 1.
float fraction(std::uint64_t bits, unsigned which) {
    return static_cast<float>((bits >> (8 * which)) & 0xff) / 255.0F;
}

// Where body number `place` of a row of `count` stands, up to half a metre to the right of it.
float along(std::uint32_t place, std::uint32_t count, float chance) {
    const float from_middle = static_cast<float>(place) - 0.5F * static_cast<float>(count - 1);
    return kSpacing * from_middle + 0.5F * chance;
}

// A speed in m/s from its byte: two's complement, in 1/8 m/s.
float speed(std::uint8_t byte) {
    return static_cast<float>(static_cast<std::int8_t>(byte)) / 8.0F;
}

}  // namespace

BodyPlan plan_body(const PileShape& shape, std::uint64_t seed, std::uint32_t index) {
    const std::uint64_t chance = mixed(seed + index);
    const std::uint32_t layer = index / shape.columns % shape.layers;
    const std::uint32_t row = index / shape.columns / shape.layers;
    return {.round = index % 3 == 0,
            .half = 0.25F + 0.25F * fraction(chance, 2),
            .x = along(index % shape.columns, shape.columns, fraction(chance, 0)),
            .y = 1.0F + kSpacing * static_cast<float>(row),
            .z = shape.layers == 1 ? 0.0F : along(layer, shape.layers, fraction(chance, 4)),
            .angle = fraction(chance, 1),
            .restitution = 0.3F * fraction(chance, 3)};
}

std::uint32_t bodies_setting(const core::Settings& config, std::uint64_t fallback) {
    return static_cast<std::uint32_t>(
        core::take_setting(config.number("bodies", fallback, 1, 2000)));
}

std::optional<Push> read_push(std::span<const std::uint8_t> input, std::uint32_t bodies) {
    if (input.size() != kPushBytes) {
        return std::nullopt;
    }
    return Push{(input[0] + 256U * input[1]) % bodies, speed(input[2]), speed(input[3])};
}

bool propose_push(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) {
    if (proposal.player == ISOTICK_WORLD || proposal.entropy % kTicksPerPush != 0) {
        return false;
    }
    for (std::size_t i = 0; i < kPushBytes; ++i) {
        bytes.push_back(static_cast<std::uint8_t>(proposal.entropy >> (8 + 8 * i)));
    }
    return true;
}

}  // namespace isotick::engines
