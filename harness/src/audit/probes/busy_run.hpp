#pragma once
// A run in which everything that must leave the state alone is called in every tick.

#include "future.hpp"

namespace isotick::harness {

/// Runs `original`, which is new, with all such calls; where that changes the future, runs new
/// instances with one call each to find out which. Fills in `calls` and `disturbances`. `future`
/// is that of the whole session. Draws from the plan's seed. The original is gone afterwards.
[[nodiscard]] core::Result<void> find_disturbances(Stage& stage, Stage::Instance& original,
                                                   const Future& future, LivenessFacts& facts);

}  // namespace isotick::harness
