#pragma once
// Where trials run that begin in the middle of another one.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// A trial that goes on from another one, which is the same up to there, before a frame of it.
struct Burst {
    std::uint64_t before_frame = 0;
    TrialPlan plan;
};

/// A trial, and those that go on from it.
struct LedTrials {
    TrialPlan lead;
    std::vector<Burst> bursts;  ///< by their frames
    /// Else the lead is no trial itself: it ends with its last burst, and several may share them.
    bool lead_counts = true;
};

struct BurstResult {
    TrialResult result;      ///< as that of the same plan run from its beginning
    TrialStatistics so_far;  ///< of the lead, where the burst began
};

/// What came of them.
struct LedResults {
    /// Of the lead, where it counts; none where its process ended before it could say.
    std::optional<TrialResult> lead;
    /// As the bursts that were asked for. None of those that were not run: for want of time,
    /// because one before them was not identical, or because the lead had ended.
    std::vector<std::optional<BurstResult>> bursts;
    std::string why_none;      ///< why the lead could not be copied; empty: it could
    std::uint64_t cpu_ns = 0;  ///< that were spent until the first that was not identical, or all
};

/// Runs leads, several at a time, and what goes on from them, in the order of its frames. Stops
/// where one is not identical, which decides nothing yet if it crashed or hung: it has to run from
/// its beginning too. After `deadline` no burst begins. Fails only where nothing could be run.
using BurstRunner = std::function<core::Result<std::vector<LedResults>>(
    std::span<const LedTrials> trials,
    std::optional<std::chrono::steady_clock::time_point> deadline)>;

/// Runs them in worker processes, of which each burst gets a copy (fork). That cannot be done where
/// the simulation has threads, or is a process itself.
[[nodiscard]] BurstRunner bursts_in_worker_processes(SimulationName simulation,
                                                     WorkerOptions options);

}  // namespace isotick::harness
