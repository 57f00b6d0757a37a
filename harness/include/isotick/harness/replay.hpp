#pragma once
// Replays a recording once, in the calling process: for tests and tools of your own.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

/// How a recording is replayed.
struct ReplayOptions {
    core::Schedule schedule = core::Schedule::nominal();
    core::LoopOptions loop{};
    core::Settings environment{};
    std::size_t most_fields = 3;  ///< that differ, to list, of each kind; 0: none are looked for
};

/// One trial of one recording; where it diverged, with what is known about that.
struct ReplayReport {
    replay::RecordingHead head;
    std::optional<std::uint64_t> ticks;  ///< of the recording, where it has an index
    TrialPlan plan;
    TrialResult result;
    std::optional<Explanation> explanation;  ///< of a divergence
};

/// Replays `recording` (a path) with the simulation of `table`. A divergence counts as one when a
/// second trial shows the same, else as nondeterministic; it is then explained by more trials. All
/// of them run in the calling process, and whatever the simulation does to that (exit, crash, hang,
/// static state) stays done: isotick::harness::verify with in_worker_processes isolates them.
///
/// Fails where the recording cannot be opened, or is not of this simulation. Never throws.
[[nodiscard]] core::Result<ReplayReport> replay(const std::string& recording,
                                                const isotick_simulation_table& table,
                                                const ReplayOptions& options = {});

/// The same with the simulation that `simulation` names, built in being the reference simulations
/// (SimulationCatalog). What is loaded stays so for as long as the call takes.
[[nodiscard]] core::Result<ReplayReport> replay(const std::string& recording,
                                                const SimulationName& simulation,
                                                const ReplayOptions& options = {});

/// The report in words, as the program prints it but for its options: several lines, the last of
/// them the verdict.
[[nodiscard]] std::string describe(const ReplayReport& report);

}  // namespace isotick::harness
