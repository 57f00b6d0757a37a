#pragma once
// Finds the simplest schedule and axes with which a trial still fails.

#include "shrink_trials.hpp"

#include <string>

namespace isotick::harness {

// Why shrinking ended before there was nothing left to try.

/// In words; empty where there was nothing left.
[[nodiscard]] std::string unfinished(const ShrinkEffort& effort);

}  // namespace isotick::harness
