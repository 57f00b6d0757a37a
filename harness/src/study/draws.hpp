#pragma once
// The draws from a random generator that two runs do not share, by the code that makes them.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>

#include <string>

namespace isotick::harness {

/// Reruns both sides, in forked processes, up to the states that differ, and watches the part of
/// the state at the path `of` from the last common state on. Where nothing can be said, `unknown`
/// in the result says why; fails only if nothing could be run.
[[nodiscard]] core::Result<Draws> find_draws(const StateSource& before, const StateSource& after,
                                             const StepsToStates& steps, const std::string& of);

}  // namespace isotick::harness
