#pragma once
// What provoked a divergence, in words.

#include <isotick/core/time.hpp>
#include <isotick/harness/detail/explain/explain.hpp>

#include <string>

namespace isotick::harness {

/// The frames that provoked it, where it shows, what came before that, and whether a loop had gone
/// back in time. `rate` is the session's. `plainest`: every frame that is not nominal is needed.
[[nodiscard]] std::string provocation_rows(const Explanation& explanation, core::TickRate rate,
                                           bool plainest);

}  // namespace isotick::harness
