#pragma once
// Single bits of a snapshot, changed: what load takes, the hash must see.

#include "../probes/stage.hpp"

namespace isotick::harness {

/// Fills in the `snapshot…` members, and what broke.
void flip_snapshot(Stage& stage, FlipFacts& facts);

}  // namespace isotick::harness
