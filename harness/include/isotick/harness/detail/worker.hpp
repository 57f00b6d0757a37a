#pragma once
// The worker side of a program that runs trials in processes of their own.

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace isotick::harness {

/// The first argument with which a program is started again as a worker.
inline constexpr std::string_view kWorkerArgument = "--isotick-worker";

/// To be called first thing in main: where the program was started as a worker, runs the requests
/// of its parent with the simulations of `catalog` and returns the exit code to end with; none
/// where it was started by a user. Must be called before any thread is started.
[[nodiscard]] std::optional<int> run_if_worker(std::span<const char* const> arguments,
                                               SimulationCatalog& catalog);

}  // namespace isotick::harness
