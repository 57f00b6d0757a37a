#pragma once
// Islands of touching bodies, and when they sleep.

#include "../state.hpp"
#include "solver.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace isotick::core::reference::pile {

/// Bodies slower than these for kTicksToSleep may sleep.
inline constexpr float kRestingSpeed = 0.05F;  // metres per second
inline constexpr float kRestingSpin = 0.1F;    // radians per second
inline constexpr std::uint32_t kTicksToSleep = 30;

/// Wakes the island of `body`, and all its bodies begin to rest anew.
void wake(const Body& body, std::span<Body> bodies, std::span<Island> islands);

/// Finds the islands anew after each tick.
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
