#pragma once
// The contact cache of a pile: hands each constraint the impulses its contact ended with.

#include "../state.hpp"
#include "solver.hpp"

#include <span>
#include <vector>

namespace isotick::core::reference::pile {

/// Gives each constraint the impulses of the same contact (a, b, feature) in `cache`, if there is
/// one. Both are sorted.
void take_impulses(std::span<const Contact> cache, std::span<Constraint> constraints);

/// Replaces `cache` by the contacts of the solved constraints and, as they were, those of
/// sleeping bodies: with these a sleeper will begin when it wakes. Sorted; `scratch` is
/// overwritten.
void keep_impulses(std::span<const Constraint> constraints, std::span<const Body> bodies,
                   std::span<const Island> islands, std::vector<Contact>& cache,
                   std::vector<Contact>& scratch);

}  // namespace isotick::core::reference::pile
