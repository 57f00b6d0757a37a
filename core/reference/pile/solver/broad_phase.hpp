#pragma once
// The broad phase of a pile: which bodies might touch, by sweep and prune along x.

#include "../state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace isotick::core::reference::pile {

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

/// Derived from the bodies and built anew in every tick, so it is not state. What it finds is
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

}  // namespace isotick::core::reference::pile
