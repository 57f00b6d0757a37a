#pragma once
// The processes of a session over UDP: what they do first.

#include <isotick/harness/detail/simulations/simulation_catalog.hpp>

#include <optional>
#include <span>

namespace isotick::harness {

/// As run_if_worker, where the program was started as one of these processes.
[[nodiscard]] std::optional<int> run_if_live(std::span<const char* const> arguments,
                                             SimulationCatalog& catalog);

}  // namespace isotick::harness
