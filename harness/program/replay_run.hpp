#pragma once
// Runs the trial of `isotick replay`, and looks at what it leaves.

#include "../src/observe/watch_file.hpp"
#include "options.hpp"
#include "printed_fields.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <optional>

namespace isotick::program {

/// The report, and what the user wanted to see of the states.
struct Replayed : harness::ReplayReport {
    std::optional<PrintedState> printed;  ///< where the user wants fields and there is a state
    std::optional<harness::WatchFile> watched;  ///< where the user watches fields
    std::optional<replay::NewFile> state;       ///< the last one, where the user wants it in a file
};

/// Runs the trial once and, unless it runs in this process, confirms and explains a divergence.
[[nodiscard]] core::Result<Replayed> replay_once(const ReplayOptions& options,
                                                 const Prepared& prepared,
                                                 harness::SimulationCatalog& catalog);

}  // namespace isotick::program
