#pragma once
// Unseen memory that decides the future: is it ever anything but what create made of it, and does
// that matter? What a poisoned cache computes says little, an empty cache is right.

#include "../probes/stage.hpp"

#include <optional>
#include <vector>

namespace isotick::harness {

/// Fills in `reset` for ranges that decide the future and that load does not repair: watches them
/// over the session, and where they are not as they were before tick 0, sets them back to that
/// and runs on. None where that could be done.
[[nodiscard]] std::optional<SceneEnd> reset_suspects(Stage& stage, std::vector<PoisonFacts>& all);

}  // namespace isotick::harness
