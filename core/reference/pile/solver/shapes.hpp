#pragma once
// The narrow phase of a pile: where two bodies touch.

#include "../state.hpp"

#include <array>
#include <cstdint>

namespace isotick::core::reference::pile {

/// One point where two bodies touch or nearly do.
struct ManifoldPoint {
    Vector at;                  ///< halfway between the two surfaces
    float separation = 0.0F;    ///< metres along the normal; negative where they overlap
    std::uint32_t feature = 0;  ///< the same from tick to tick while the same corner touches
};

/// All points where two bodies touch, ordered by feature.
struct Manifold {
    Vector normal;  ///< of length one, from a to b
    std::uint32_t count = 0;
    std::array<ManifoldPoint, 2> points{};

    void add(const ManifoldPoint& point) { points[count++] = point; }
};

/// Where `a` and `b` are nearer than `margin`. A wall can only be `a`.
[[nodiscard]] Manifold collide(const Body& a, const Body& b, float margin);

/// The same for two boxes: separating axes, then the incident face clipped by the reference face.
/// Source: Catto, "Fast and Simple Physics using Sequential Impulses" (GDC 2006), Box2D-Lite.
[[nodiscard]] Manifold collide_boxes(const Body& a, const Body& b, float margin);

/// Corner `index` of 0 … 3 of a box in its own frame: counter-clockwise from lower right, so that
/// face k (right, top, left, bottom) lies between the corners k and k + 1.
[[nodiscard]] inline Vector corner_of(const Body& box, std::uint32_t index) {
    const std::uint32_t corner = index % 4;
    return {corner < 2 ? box.half.x : -box.half.x,
            corner == 1 || corner == 2 ? box.half.y : -box.half.y};
}

}  // namespace isotick::core::reference::pile
