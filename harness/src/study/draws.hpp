#pragma once
// Compares the draws of two runs from a random generator, by the code that makes them.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>

#include <string>

namespace isotick::harness {

/// Reruns both sides, in forked processes, up to the states that differ, and watches the part of
/// the state at the path `of`, starting at the last common state. If the draws cannot be compared,
/// `unknown` in the result says why; fails only if nothing could be run.
[[nodiscard]] core::Result<Draws> find_draws(const StateSource& before, const StateSource& after,
                                             const StepsToStates& steps, const std::string& of);

}  // namespace isotick::harness
