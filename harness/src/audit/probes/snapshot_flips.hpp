#pragma once
// Single bits of a snapshot, changed: what load takes, the hash must see.

#include "stage.hpp"

namespace isotick::harness {

/// Fills in the `snapshot…` members. Draws from `seed`. Part of a scene that tampers.
[[nodiscard]] core::Result<void> flip_snapshot(Stage& stage, Stage::Instance& original,
                                               std::uint64_t seed, FlipFacts& facts);

}  // namespace isotick::harness
