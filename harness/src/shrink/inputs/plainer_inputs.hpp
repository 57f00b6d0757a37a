#pragma once
// Inputs that say less than a given one.

#include "shrink_inputs.hpp"

#include <cstdint>
#include <vector>

namespace isotick::harness {

/// Inputs in the place of `needed` that differ in fewer bytes from what is held there, or from
/// zeros where nothing is or it is of another length; the plainest first: none of the bytes, then
/// all but one. A byte is the smallest field that every simulation's inputs have.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> plainer_inputs(const NeededInput& needed);

}  // namespace isotick::harness
