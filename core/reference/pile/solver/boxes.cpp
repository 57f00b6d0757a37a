// Box against box.

#include "shapes.hpp"

#include <cmath>
#include <utility>

namespace isotick::core::reference::pile {
namespace {

// A face of a box (see corner_of) and how far the other box is in front of it.
struct Face {
    float separation;
    std::uint32_t face;
};

// The face of `box` in front of which `other` is farthest.
Face best_face(const Body& box, const Body& other) {
    const Rotation& from = box.rotation;
    const Rotation& to = other.rotation;
    const float cosine = std::abs(from.cosine * to.cosine + from.sine * to.sine);
    const float sine = std::abs(from.cosine * to.sine - from.sine * to.cosine);
    const Vector way = rotate_back(from, other.position - box.position);
    const float x = std::abs(way.x) - box.half.x - (cosine * other.half.x + sine * other.half.y);
    const float y = std::abs(way.y) - box.half.y - (sine * other.half.x + cosine * other.half.y);
    if (x > y) {
        return {x, way.x > 0.0F ? 0U : 2U};
    }
    return {y, way.y > 0.0F ? 1U : 3U};
}

Vector normal_of(std::uint32_t face) {
    constexpr Vector kNormals[]{{1.0F, 0.0F}, {0.0F, 1.0F}, {-1.0F, 0.0F}, {0.0F, -1.0F}};
    return kNormals[face];
}

// The face of `box` that looks most against `direction` (in the box's frame).
std::uint32_t face_against(Vector direction) {
    if (std::abs(direction.x) > std::abs(direction.y)) {
        return direction.x > 0.0F ? 2 : 0;
    }
    return direction.y > 0.0F ? 3 : 1;
}

// Cuts off what of the segment lies beyond `most` along `axis`; false if nothing is left.
bool clip(Vector& first, Vector& second, Vector axis, float most) {
    const float over_first = dot(axis, first) - most;
    const float over_second = dot(axis, second) - most;
    if (over_first > 0.0F && over_second > 0.0F) {
        return false;
    }
    if (over_first > 0.0F) {
        first = first + (second - first) * (over_first / (over_first - over_second));
    } else if (over_second > 0.0F) {
        second = second + (first - second) * (over_second / (over_second - over_first));
    }
    return true;
}

// The points of `incident` in front of a face of `reference`.
Manifold clip_faces(const Body& reference, const Body& incident, std::uint32_t face, float margin) {
    const Vector normal = normal_of(face);
    const Vector along{-normal.y, normal.x};
    const bool upright = face % 2 == 0;
    const float height = upright ? reference.half.x : reference.half.y;
    const float reach = upright ? reference.half.y : reference.half.x;

    Manifold manifold{.normal = rotate(reference.rotation, normal)};
    const std::uint32_t corner = face_against(rotate_back(incident.rotation, manifold.normal));
    const auto in_reference = [&](std::uint32_t index) {
        const Vector at = incident.position + rotate(incident.rotation, corner_of(incident, index));
        return rotate_back(reference.rotation, at - reference.position);
    };
    std::array ends{in_reference(corner), in_reference(corner + 1)};
    if (!clip(ends[0], ends[1], along, reach) || !clip(ends[0], ends[1], -along, reach)) {
        return manifold;
    }
    for (std::uint32_t end = 0; end < 2; ++end) {
        const float separation = dot(normal, ends[end]) - height;
        if (separation < margin) {
            const Vector at = ends[end] - normal * (separation * 0.5F);
            manifold.add({reference.position + rotate(reference.rotation, at), separation,
                          face * 4 + (corner + end) % 4});
        }
    }
    return manifold;
}

}  // namespace

Manifold collide_boxes(const Body& a, const Body& b, float margin) {
    // Faces of b only count when clearly better, so that equals do not take turns.
    constexpr float kClearlyBetter = 0.005F;
    constexpr std::uint32_t kFacesOfB = 16;
    const Face of_a = best_face(a, b);
    const Face of_b = best_face(b, a);
    if (!(of_a.separation < margin && of_b.separation < margin)) {
        return {};
    }
    const bool a_is_reference = !(of_b.separation > of_a.separation + kClearlyBetter);
    Manifold manifold =
        a_is_reference ? clip_faces(a, b, of_a.face, margin) : clip_faces(b, a, of_b.face, margin);
    if (!a_is_reference) {
        manifold.normal = -manifold.normal;
        for (ManifoldPoint& point : manifold.points) {
            point.feature += kFacesOfB;
        }
    }
    if (manifold.count == 2 && manifold.points[0].feature > manifold.points[1].feature) {
        std::swap(manifold.points[0], manifold.points[1]);
    }
    return manifold;
}

}  // namespace isotick::core::reference::pile
