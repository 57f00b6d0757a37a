#pragma once
// Where trials run that begin alike: what they share is run once.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace isotick::harness {

/// A trial, and what it cost.
struct BranchedTrial {
    TrialResult result;           ///< as that of a trial run from its beginning
    std::uint64_t ticks_run = 0;  ///< now, for it and for what later trials share with it
};

/// Runs one trial after another. `checkpoints`: rising numbers of frames; so many of the plan's
/// first frames are likely to be those of plans to come too, with the same inputs. What is kept
/// there is dropped as soon as a plan does not share it. Fails where no trial can be run. Not
/// thread-safe.
using BranchRunner = std::function<core::Result<BranchedTrial>(
    const TrialPlan& plan, std::span<const std::uint64_t> checkpoints)>;

/// Runs trials of `simulation` (as a SimulationCatalog opens it) in one worker process after the
/// other. What plans share is run once, in a process that is copied (fork) for each trial that goes
/// on from there; where the simulation has threads or is a process itself, every trial runs from
/// its beginning.
[[nodiscard]] BranchRunner branches_in_worker_processes(SimulationName simulation,
                                                        WorkerOptions options);

/// Runs every trial from its beginning, with `run`.
[[nodiscard]] BranchRunner without_branches(TrialRunner run);

}  // namespace isotick::harness
