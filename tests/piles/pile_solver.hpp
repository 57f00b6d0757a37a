#pragma once
// The physics of a pile: shapes, contacts, islands, the solver.

#include "pile_state.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace isotick::core::reference::pile {

// The narrow phase of a pile: where two bodies touch.

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

// The broad phase of a pile: which bodies might touch, by sweep and prune along x.

/// Two bodies, the lower index first.
struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Bodies come nearer than this, in metres, before they count as touching; to it comes the way
/// they move towards each other in the tick.
inline constexpr float kTouch = 0.02F;

/// The margin within which `a` and `b` touch in a tick of `seconds`.
[[nodiscard]] float touching_margin(const Body& a, const Body& b, float seconds);

/// Derived from the bodies and rebuilt in every tick, so it is not state. What it finds is
/// sorted: its order depends on nothing but the bodies.
/// Source: Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies" (1992), sort and sweep.
class BroadPhase {
  public:
    /// All pairs that may touch in a tick of `seconds`, sorted: every body with every wall, and the
    /// bodies whose bounds overlap. Valid until the next call.
    [[nodiscard]] std::span<const Pair> find(std::span<const Body> bodies, float seconds);

  private:
    struct Bounds {
        float left;
        float right;
        float bottom;
        float top;
        std::uint32_t body;
    };

    std::vector<Bounds> bounds_;  // of all bodies but the walls, from left to right
    std::vector<Pair> pairs_;
};

// The solver of a pile: sequential impulses with warm starting.

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

// The contact cache of a pile: hands each constraint the impulses its contact ended with.

/// Gives each constraint the impulses of the same contact (a, b, feature) in `cache`, if there is
/// one. Both are sorted.
void take_impulses(std::span<const Contact> cache, std::span<Constraint> constraints);

/// Replaces `cache` by the contacts of the solved constraints and, as they were, those of
/// sleeping bodies: with these a sleeper will begin when it wakes. Sorted; `scratch` is
/// overwritten.
void keep_impulses(std::span<const Constraint> constraints, std::span<const Body> bodies,
                   std::span<const Island> islands, std::vector<Contact>& cache,
                   std::vector<Contact>& scratch);

// Islands of touching bodies, and when they sleep.

/// Bodies slower than these for kTicksToSleep may sleep.
inline constexpr float kRestingSpeed = 0.05F;  // metres per second
inline constexpr float kRestingSpin = 0.1F;    // radians per second
inline constexpr std::uint32_t kTicksToSleep = 30;

/// Wakes the island of `body`, and restarts the time that its bodies have rested.
void wake(const Body& body, std::span<Body> bodies, std::span<Island> islands);

/// Finds the islands again after each tick.
class IslandBuilder {
  public:
    /// Joins what `constraints` connect; sleeping islands stay as they are. Counts how long awake
    /// bodies have rested, and puts islands to sleep (at no speed) that have rested long enough.
    /// Islands and their numbers follow from the lowest body of each: the order in which
    /// constraints come plays no part. Source: union-find, CLRS, chapter "Data Structures for
    /// Disjoint Sets", with path halving.
    void rebuild(std::span<Body> bodies, std::span<const Constraint> constraints,
                 std::vector<Island>& islands);

  private:
    [[nodiscard]] std::uint32_t root_of(std::uint32_t body);
    void join(std::uint32_t a, std::uint32_t b);

    std::vector<std::uint32_t> parent_;  // of each body; never above the body itself
};

}  // namespace isotick::core::reference::pile
