#pragma once
// Where in its tick a state first differs, in words.

#include <isotick/harness/detail/explain/phases.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// The rows of a report about it; `parts` are those that differ at the tick's end. Empty where the
/// tick names no checkpoints.
[[nodiscard]] std::string phase_rows(const std::optional<Phases>& phases,
                                     const std::vector<std::string>& parts);

}  // namespace isotick::harness
