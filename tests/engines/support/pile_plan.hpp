#pragma once
// How a pile begins and what a push is: the same for every engine.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/step.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::engines {

/// How bodies hang above each other at first: rows of `columns` bodies, `layers` of them in depth.
struct PileShape {
    std::uint32_t columns;
    std::uint32_t layers;  ///< 1: a flat world
    float half_width;      ///< from the middle to each wall, in metres
};

inline constexpr PileShape kFlatPile{.columns = 12, .layers = 1, .half_width = 10.0F};
inline constexpr PileShape kDeepPile{.columns = 4, .layers = 4, .half_width = 3.5F};
inline constexpr float kWallHeight = 400.0F;  ///< metres
inline constexpr float kGravity = -10.0F;     ///< metres per second, per second
inline constexpr float kFriction = 0.4F;

/// How one body begins. Metres and radians; y is up, 0 the floor.
struct BodyPlan {
    bool round;  ///< a circle or ball, else a box
    float half;  ///< from the centre to a side
    float x, y, z;
    float angle;        ///< about z
    float restitution;  ///< 0 to 0.3
};

/// Body number `index` of the pile that `seed` makes. Only single operations on floats, so the same
/// bits everywhere.
[[nodiscard]] BodyPlan plan_body(const PileShape& shape, std::uint64_t seed, std::uint32_t index);

/// The setting `bodies`, 1 to 2000. Throws core::BadSettings.
[[nodiscard]] std::uint32_t bodies_setting(const core::Settings& config, std::uint64_t fallback);

/// A change of a body's speed.
struct Push {
    std::uint32_t body;
    float right;  ///< metres per second
    float up;
};

/// Reads an input: four bytes, the body (16 bits, little-endian, modulo `bodies`), then the changes
/// of its speed to the right and up, signed, in 1/8 m/s. Anything else is no push.
[[nodiscard]] std::optional<Push> read_push(std::span<const std::uint8_t> input,
                                            std::uint32_t bodies);

/// A bot: each player pushes about every eighth tick, the world never. True where it does; then
/// the input is appended to `bytes`.
bool propose_push(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes);

}  // namespace isotick::engines
