#pragma once
// The solver of a pile: sequential impulses with warm starting.

#include "../state.hpp"
#include "shapes.hpp"

#include <cstdint>
#include <span>

namespace isotick::core::reference::pile {

/// A contact prepared for solving in one tick.
struct Constraint {
    Contact contact;  ///< accumulates the impulses
    Vector normal;    ///< from a to b
    Vector arm_a;     ///< from the centre of a to the point
    Vector arm_b;
    float separation = 0.0F;
    float normal_mass = 0.0F;
    float tangent_mass = 0.0F;
};

/// The constraint of one point of a manifold between bodies `a` and `b`, without impulses yet.
[[nodiscard]] Constraint make_constraint(std::span<const Body> bodies, std::uint32_t a,
                                         std::uint32_t b, const Manifold& manifold,
                                         const ManifoldPoint& point);

/// Applies the impulses the constraints begin with.
void warm_start(std::span<Body> bodies, std::span<const Constraint> constraints);

/// How solve treats overlap.
enum class Overlap {
    push_apart,  ///< adds the velocity that undoes a part of it
    leave,       ///< takes that velocity out again, so that pushing apart adds no energy
};

/// One pass over all constraints in order: changes velocities so that no bodies approach, with
/// friction. The impulses accumulate in the constraints and are cut as sums, not one by one.
/// Source: Catto, "Iterative Dynamics with Temporal Coherence" (GDC 2005), "Fast and Simple
/// Physics using Sequential Impulses" (GDC 2006), "Solver2D" (2024) for the relaxing pass.
void solve(std::span<Body> bodies, std::span<Constraint> constraints, float per_second,
           Overlap overlap);

}  // namespace isotick::core::reference::pile
