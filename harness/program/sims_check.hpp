#pragma once
// `isotick sims --check`.

#include "options.hpp"

#include <CLI/CLI.hpp>

namespace isotick::program {

/// The options of sims that only a check has; both must outlive `app`.
void add_check_options(CLI::App& app, SimsOptions& options);

/// Plays harness/PROTOCOL.md at the simulation that `options.check` names: a process as it is, any
/// other served by this program in a process of its own.
[[nodiscard]] int run_sims_check(const SimsOptions& options, Console& console);

}  // namespace isotick::program
