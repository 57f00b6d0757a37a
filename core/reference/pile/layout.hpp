#pragma once
// How a pile begins: walls, and bodies hanging in rows above one another.

#include "state.hpp"

#include <isotick/core/random.hpp>

#include <cstdint>
#include <vector>

namespace isotick::core::reference::pile {

/// Where a dropped body's centre starts, below the ceiling and away from the walls: metres.
inline constexpr float kDropMargin = 1.0F;

/// A body of density 1 kg/m²; `half` as in Shape. `shape` must not be wall.
[[nodiscard]] Body make_body(Shape shape, Vector half, Vector position);

/// A world with room for `count` bodies, and room to drop them from.
[[nodiscard]] World make_world(std::uint32_t count);

/// The walls of `world` and `count` bodies, shapes and sizes drawn from `random`, none touching.
[[nodiscard]] std::vector<Body> make_bodies(const World& world, std::uint32_t count, Pcg32& random);

}  // namespace isotick::core::reference::pile
