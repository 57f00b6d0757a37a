#include "solver.hpp"

#include <algorithm>

namespace isotick::core::reference::pile {
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
