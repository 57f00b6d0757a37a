#include "pile_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
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

// Box against box.

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

namespace {

// How far the body reaches to each side of its centre.
Vector extent_of(const Body& body) {
    if (body.shape == Shape::circle) {
        return {body.half.x, body.half.x};
    }
    const float cosine = std::abs(body.rotation.cosine);
    const float sine = std::abs(body.rotation.sine);
    return {cosine * body.half.x + sine * body.half.y, sine * body.half.x + cosine * body.half.y};
}

float way_in(float seconds, Vector velocity) {
    return (std::abs(velocity.x) + std::abs(velocity.y)) * seconds;
}

}  // namespace

float touching_margin(const Body& a, const Body& b, float seconds) {
    return kTouch + way_in(seconds, b.velocity - a.velocity);
}

std::span<const Pair> BroadPhase::find(std::span<const Body> bodies, float seconds) {
    const auto count = static_cast<std::uint32_t>(bodies.size());
    bounds_.clear();
    pairs_.clear();
    for (std::uint32_t wall = 0; wall < std::min(kWalls, count); ++wall) {
        for (std::uint32_t body = kWalls; body < count; ++body) {
            pairs_.push_back({wall, body});
        }
    }
    for (std::uint32_t index = kWalls; index < count; ++index) {
        const Body& body = bodies[index];
        const Vector extent = extent_of(body);
        const float margin = kTouch + way_in(seconds, body.velocity);
        bounds_.push_back({body.position.x - extent.x - margin, body.position.x + extent.x + margin,
                           body.position.y - extent.y - margin, body.position.y + extent.y + margin,
                           index});
    }
    std::sort(bounds_.begin(), bounds_.end(), [](const Bounds& one, const Bounds& other) {
        return one.left < other.left || (one.left == other.left && one.body < other.body);
    });
    const auto walls_end = static_cast<std::ptrdiff_t>(pairs_.size());
    for (auto one = bounds_.begin(); one != bounds_.end(); ++one) {
        for (auto other = one + 1; other != bounds_.end() && other->left <= one->right; ++other) {
            if (other->bottom <= one->top && one->bottom <= other->top) {
                pairs_.push_back(
                    {std::min(one->body, other->body), std::max(one->body, other->body)});
            }
        }
    }
    std::sort(pairs_.begin() + walls_end, pairs_.end());
    return pairs_;
}

namespace {

auto key_of(const Contact& contact) {
    return std::tuple(contact.a, contact.b, contact.feature);
}

}  // namespace

void take_impulses(std::span<const Contact> cache, std::span<Constraint> constraints) {
    auto old = cache.begin();
    for (Constraint& each : constraints) {
        while (old != cache.end() && key_of(*old) < key_of(each.contact)) {
            ++old;
        }
        if (old != cache.end() && key_of(*old) == key_of(each.contact)) {
            each.contact = *old;
        }
    }
}

void keep_impulses(std::span<const Constraint> constraints, std::span<const Body> bodies,
                   std::span<const Island> islands, std::vector<Contact>& cache,
                   std::vector<Contact>& scratch) {
    const auto sleeps = [&](const Contact& contact) {
        return contact.b < bodies.size() && is_asleep(bodies[contact.b], islands);
    };
    scratch.clear();
    auto next = constraints.begin();
    for (const Contact& old : cache) {
        if (!sleeps(old)) {
            continue;
        }
        while (next != constraints.end() && key_of(next->contact) < key_of(old)) {
            scratch.push_back(next->contact);
            ++next;
        }
        scratch.push_back(old);
    }
    for (; next != constraints.end(); ++next) {
        scratch.push_back(next->contact);
    }
    cache.swap(scratch);
}

namespace {

bool rests(const Body& body) {
    return dot(body.velocity, body.velocity) < kRestingSpeed * kRestingSpeed &&
           std::abs(body.spin) < kRestingSpin;
}

void count_rest(std::span<Body> bodies, std::span<const Island> islands) {
    for (Body& body : bodies) {
        if (is_awake(body, islands)) {
            body.rest_ticks = rests(body) ? std::min(body.rest_ticks + 1, kTicksToSleep) : 0;
        }
    }
}

}  // namespace

void wake(const Body& body, std::span<Body> bodies, std::span<Island> islands) {
    const std::uint32_t island = body.island;
    if (island >= islands.size()) {
        return;
    }
    islands[island].asleep = 0;
    for (Body& each : bodies) {
        if (each.island == island) {
            each.rest_ticks = 0;
        }
    }
}

void IslandBuilder::rebuild(std::span<Body> bodies, std::span<const Constraint> constraints,
                            std::vector<Island>& islands) {
    const auto count = static_cast<std::uint32_t>(bodies.size());
    count_rest(bodies, islands);
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (std::uint32_t body = kWalls; body < count; ++body) {
        if (is_asleep(bodies[body], islands)) {
            join(std::min(islands[bodies[body].island].first, body), body);
        }
    }
    for (const Constraint& each : constraints) {
        if (each.contact.a >= kWalls) {
            join(each.contact.a, each.contact.b);
        }
    }
    islands.clear();
    for (std::uint32_t body = kWalls; body < count; ++body) {
        const std::uint32_t root = root_of(body);
        if (root == body) {
            bodies[body].island = static_cast<std::uint32_t>(islands.size());
            islands.push_back({.first = body, .bodies = 0, .asleep = 1});
        }
        bodies[body].island = bodies[root].island;
        Island& island = islands[bodies[root].island];
        ++island.bodies;
        if (bodies[body].rest_ticks < kTicksToSleep) {
            island.asleep = 0;
        }
    }
    for (Body& body : bodies) {
        if (is_asleep(body, islands)) {
            body.velocity = {};
            body.spin = 0.0F;
        }
    }
}

std::uint32_t IslandBuilder::root_of(std::uint32_t body) {
    while (parent_[body] != body) {
        parent_[body] = parent_[parent_[body]];
        body = parent_[body];
    }
    return body;
}

void IslandBuilder::join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = root_of(a);
    const std::uint32_t root_b = root_of(b);
    parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

namespace {

constexpr float kFriction = 0.6F;
constexpr float kAllowedOverlap = 0.005F;     // metres
constexpr float kPushedApart = 0.2F;          // of the overlap, in a tick
constexpr float kFastestPushingApart = 3.0F;  // metres per second

Vector tangent_of(Vector normal) {
    return {normal.y, -normal.x};
}

float mass_along(Vector direction, const Body& a, Vector arm_a, const Body& b, Vector arm_b) {
    const float turn_a = cross(arm_a, direction);
    const float turn_b = cross(arm_b, direction);
    const float inverse = a.inverse_mass + b.inverse_mass + a.inverse_inertia * turn_a * turn_a +
                          b.inverse_inertia * turn_b * turn_b;
    return inverse > 0.0F ? 1.0F / inverse : 0.0F;
}

// Pushes b along `impulse` and a against it.
void apply(Body& a, Body& b, const Constraint& constraint, Vector impulse) {
    a.velocity = a.velocity - impulse * a.inverse_mass;
    a.spin -= a.inverse_inertia * cross(constraint.arm_a, impulse);
    b.velocity = b.velocity + impulse * b.inverse_mass;
    b.spin += b.inverse_inertia * cross(constraint.arm_b, impulse);
}

// Of b's surface against a's.
Vector relative_velocity(const Body& a, const Body& b, const Constraint& constraint) {
    return b.velocity + cross(b.spin, constraint.arm_b) - a.velocity -
           cross(a.spin, constraint.arm_a);
}

// How fast the bodies may approach (positive), or must part (negative).
float bias_of(float separation, float per_second, Overlap overlap) {
    if (separation > 0.0F) {
        return separation * per_second;
    }
    if (overlap == Overlap::leave) {
        return 0.0F;
    }
    const float wish = (separation + kAllowedOverlap) * kPushedApart * per_second;
    return std::min(0.0F, std::max(wish, -kFastestPushingApart));
}

void solve_friction(Body& a, Body& b, Constraint& constraint) {
    const Vector tangent = tangent_of(constraint.normal);
    const float speed = dot(relative_velocity(a, b, constraint), tangent);
    const float most = kFriction * constraint.contact.normal_impulse;
    const float before = constraint.contact.tangent_impulse;
    const float wish = before - constraint.tangent_mass * speed;
    const float after = std::max(-most, std::min(wish, most));
    constraint.contact.tangent_impulse = after;
    apply(a, b, constraint, tangent * (after - before));
}

void solve_normal(Body& a, Body& b, Constraint& constraint, float bias) {
    const float speed = dot(relative_velocity(a, b, constraint), constraint.normal);
    const float before = constraint.contact.normal_impulse;
    const float after = std::max(before - constraint.normal_mass * (speed + bias), 0.0F);
    constraint.contact.normal_impulse = after;
    apply(a, b, constraint, constraint.normal * (after - before));
}

}  // namespace

Constraint make_constraint(std::span<const Body> bodies, std::uint32_t a, std::uint32_t b,
                           const Manifold& manifold, const ManifoldPoint& point) {
    const Vector normal = manifold.normal;
    const Vector arm_a = point.at - bodies[a].position;
    const Vector arm_b = point.at - bodies[b].position;
    return {.contact = {.a = a, .b = b, .feature = point.feature},
            .normal = normal,
            .arm_a = arm_a,
            .arm_b = arm_b,
            .separation = point.separation,
            .normal_mass = mass_along(normal, bodies[a], arm_a, bodies[b], arm_b),
            .tangent_mass = mass_along(tangent_of(normal), bodies[a], arm_a, bodies[b], arm_b)};
}

void warm_start(std::span<Body> bodies, std::span<const Constraint> constraints) {
    for (const Constraint& each : constraints) {
        const Vector impulse = each.normal * each.contact.normal_impulse +
                               tangent_of(each.normal) * each.contact.tangent_impulse;
        apply(bodies[each.contact.a], bodies[each.contact.b], each, impulse);
    }
}

void solve(std::span<Body> bodies, std::span<Constraint> constraints, float per_second,
           Overlap overlap) {
    for (Constraint& each : constraints) {
        Body& a = bodies[each.contact.a];
        Body& b = bodies[each.contact.b];
        solve_friction(a, b, each);
        solve_normal(a, b, each, bias_of(each.separation, per_second, overlap));
    }
}

}  // namespace isotick::core::reference::pile
