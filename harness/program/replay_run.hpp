#pragma once
// Runs the trial of `isotick replay`, and looks at what it leaves.

#include "../src/fields/watch_file.hpp"
#include "options.hpp"
#include "printed_fields.hpp"

#include <isotick/harness/explain.hpp>
#include <isotick/harness/simulation_catalog.hpp>
#include <isotick/replay/recording_head.hpp>

#include <cstdint>
#include <optional>

namespace isotick::program {

struct Replayed {
    replay::RecordingHead head;
    std::optional<std::uint64_t> ticks;  ///< of the recording, where it has an index
    harness::TrialPlan plan;
    harness::TrialResult result;
    std::optional<harness::Explanation> explanation;
    std::optional<PrintedState> printed;  ///< where the user wants fields and there is a state
    std::optional<harness::WatchFile> watched;  ///< where the user watches fields
};

/// Runs the trial once and, unless it runs in this process, confirms and explains a divergence.
[[nodiscard]] core::Result<Replayed> replay_once(const ReplayOptions& options,
                                                 const Prepared& prepared,
                                                 harness::SimulationCatalog& catalog);

}  // namespace isotick::program
