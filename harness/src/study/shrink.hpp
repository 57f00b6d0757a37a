#pragma once
// Why shrinking ended before there was nothing left to try.

#include "shrink_trials.hpp"

#include <string>

namespace isotick::harness {

/// In words; empty where there was nothing left.
[[nodiscard]] std::string unfinished(const ShrinkEffort& effort);

}  // namespace isotick::harness
