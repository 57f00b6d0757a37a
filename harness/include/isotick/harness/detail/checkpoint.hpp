#pragma once
// The states within a step, at the points that a simulation names.

#include <isotick/core/hash.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// The state at one checkpoint of a step.
struct Checkpoint {
    std::string name;
    core::StateHash hash;
    std::vector<core::PartHash> parts;
};

/// Of more checkpoints with different names only the first are noted as reached.
inline constexpr std::size_t kMostReached = 1000;

/// Adds the name to those reached, printable, unless it is there.
void note_reached(std::vector<std::string>& reached, std::string_view name);

/// Of a step with more checkpoints only the first are looked at.
inline constexpr std::size_t kMostCheckpoints = 4096;

}  // namespace isotick::harness
