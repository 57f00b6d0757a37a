#pragma once
// A plug-in's globals and statics: in C they are often the state.

#include "../probes/stage.hpp"

namespace isotick::harness {

/// Adds those that change over the session to the result's types, and says what is known of all.
/// The scene's end where the session could not be run.
[[nodiscard]] std::optional<SceneEnd> map_globals(Stage& stage, ProbeResult& result);

}  // namespace isotick::harness
