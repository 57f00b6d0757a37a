#pragma once
// Fields held against hashes: what differs from one state to the next must show in the hash.

#include "../probes/stage.hpp"

namespace isotick::harness {

/// Runs `simulation`, which is new and shows its fields, over the session and compares neighboring
/// states: a field whose part has the same hash in both, though the field differs, is not hashed,
/// or only in part. Where no part has the field's name, all of them must be the same.
[[nodiscard]] core::Result<void> hold_fields_against_hashes(Stage& stage,
                                                            core::Simulation& simulation,
                                                            FieldFacts& facts);

}  // namespace isotick::harness
