#include "shapes.hpp"

#include <cmath>
#include <utility>

namespace isotick::core::reference::pile {
namespace {

Manifold collide_wall_circle(const Body& wall, const Body& circle, float margin) {
    Manifold manifold{.normal = {wall.rotation.cosine, wall.rotation.sine}};
    const float radius = circle.half.x;
    const float separation = dot(manifold.normal, circle.position - wall.position) - radius;
    if (separation < margin) {
        const Vector at = circle.position - manifold.normal * (radius + separation * 0.5F);
        manifold.add({at, separation, 0});
    }
    return manifold;
}

// The two deepest corners of the box.
Manifold collide_wall_box(const Body& wall, const Body& box, float margin) {
    Manifold manifold{.normal = {wall.rotation.cosine, wall.rotation.sine}};
    const float distance = dot(manifold.normal, box.position - wall.position);
    if (distance - box.half.x - box.half.y > margin) {
        return manifold;
    }
    for (std::uint32_t corner = 0; corner < 4; ++corner) {
        const Vector arm = rotate(box.rotation, corner_of(box, corner));
        const float separation = distance + dot(manifold.normal, arm);
        const ManifoldPoint point{box.position + arm - manifold.normal * (separation * 0.5F),
                                  separation, corner};
        if (!(separation < margin)) {
            continue;
        }
        if (manifold.count < 2) {
            manifold.add(point);
            continue;
        }
        const bool first_is_higher = manifold.points[0].separation > manifold.points[1].separation;
        ManifoldPoint& higher = manifold.points[first_is_higher ? 0 : 1];
        if (separation < higher.separation) {
            higher = point;
        }
    }
    if (manifold.count == 2 && manifold.points[0].feature > manifold.points[1].feature) {
        std::swap(manifold.points[0], manifold.points[1]);
    }
    return manifold;
}

Manifold collide_circles(const Body& a, const Body& b, float margin) {
    constexpr float kSameCentre = 1e-6F;
    Manifold manifold{.normal = {0.0F, 1.0F}};
    const Vector way = b.position - a.position;
    const float reach = a.half.x + b.half.x + margin;
    const float squared = dot(way, way);
    if (!(squared < reach * reach)) {
        return manifold;
    }
    const float distance = std::sqrt(squared);
    if (distance > kSameCentre) {
        manifold.normal = way * (1.0F / distance);
    }
    const float separation = distance - a.half.x - b.half.x;
    manifold.add({a.position + manifold.normal * (a.half.x + separation * 0.5F), separation, 0});
    return manifold;
}

// Where the box's surface is nearest to `point` (in the box's frame), and which way is out.
std::pair<Vector, Vector> nearest_on_box(const Body& box, Vector point) {
    constexpr float kOnSurface = 1e-12F;
    const auto cut = [](float value, float most) {
        return value > most ? most : (value > -most ? value : -most);
    };
    const Vector nearest{cut(point.x, box.half.x), cut(point.y, box.half.y)};
    const Vector out = point - nearest;
    const float squared = dot(out, out);
    if (squared > kOnSurface) {
        return {nearest, out * (1.0F / std::sqrt(squared))};
    }
    const Vector side{point.x < 0.0F ? -1.0F : 1.0F, point.y < 0.0F ? -1.0F : 1.0F};
    const float to_side = box.half.x - point.x * side.x;
    const float to_end = box.half.y - point.y * side.y;
    if (to_side < to_end) {
        return {{box.half.x * side.x, point.y}, {side.x, 0.0F}};
    }
    return {{point.x, box.half.y * side.y}, {0.0F, side.y}};
}

Manifold collide_box_circle(const Body& box, const Body& circle, float margin) {
    Manifold manifold;
    const Vector centre = rotate_back(box.rotation, circle.position - box.position);
    const auto [nearest, out] = nearest_on_box(box, centre);
    const float separation = dot(centre - nearest, out) - circle.half.x;
    if (separation < margin) {
        manifold.normal = rotate(box.rotation, out);
        const Vector at = rotate(box.rotation, nearest + out * (separation * 0.5F));
        manifold.add({box.position + at, separation, 0});
    }
    return manifold;
}

}  // namespace

Manifold collide(const Body& a, const Body& b, float margin) {
    const bool b_is_circle = b.shape == Shape::circle;
    if (a.shape == Shape::wall) {
        return b_is_circle ? collide_wall_circle(a, b, margin) : collide_wall_box(a, b, margin);
    }
    if (a.shape == Shape::circle && b_is_circle) {
        return collide_circles(a, b, margin);
    }
    if (a.shape == Shape::circle) {
        Manifold manifold = collide_box_circle(b, a, margin);
        manifold.normal = -manifold.normal;
        return manifold;
    }
    return b_is_circle ? collide_box_circle(a, b, margin) : collide_boxes(a, b, margin);
}

}  // namespace isotick::core::reference::pile
