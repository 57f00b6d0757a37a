#pragma once
// Where trials run: in workers or in this process, alone, from a common beginning, or in bursts.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// Where trials run: in worker processes, several at a time, or in the calling process.

/// How trials are run; none of it has an influence on what they compute.
struct WorkerOptions {
    /// The program to start as a worker; it must call run_if_worker. The default is this program.
    std::string executable = "/proc/self/exe";
    std::size_t jobs = 0;               ///< trials at a time; 0: as many as there are processors
    std::uint64_t timeout_ms = 10'000;  ///< without progress; 0: wait for ever
    std::uint64_t memory_limit = std::uint64_t{4} << 30;  ///< bytes per trial; 0: none
    /// A file in which processes note what they read, by its path; see DependencyLog. Empty: none.
    std::string notes;
    /// Asked on the calling thread now and then: true ends what runs, which fails with `io`.
    std::function<bool()> stop;
    /// Called on the calling thread after each trial: how many of this batch are done.
    std::function<void(std::size_t done, std::size_t total)> on_progress;
    /// Called with what was printed by a simulation that failed before it had said what it is.
    /// What it prints later is in the results.
    std::function<void(const std::string& printed)> on_failed_start;
    /// Likewise, with what is worth knowing and no result: a worker was killed and is run again.
    std::function<void(const std::string& text)> on_remark;
};

/// How far from its neighbours a trial runs.
enum class Isolation {
    forked,  ///< in a process forked from one that has loaded the simulation
    fresh,   ///< in a newly exec'ed process: other addresses, nothing inherited
};

/// Runs plans and returns their results in the same order. Fails only where none could be run.
using TrialRunner = std::function<core::Result<std::vector<TrialResult>>(
    std::span<const TrialPlan> plans, Isolation isolation)>;

/// Runs trials of `simulation` (as a SimulationCatalog opens it) in worker processes. What a
/// simulation does to its process ends as a verdict of that trial alone. One that crashed is run
/// again in a fresh process: if it does not crash there, it is nondeterministic.
[[nodiscard]] TrialRunner in_worker_processes(SimulationName simulation, WorkerOptions options);

/// Runs trials one after another in the calling process, whatever isolation is asked for: for
/// debuggers and test programs. Fails on an axis that is applied before a process starts. `table`
/// must outlive the runner.
[[nodiscard]] TrialRunner in_this_process(const isotick_simulation_table& table);

/// Records in a worker process. A simulation that crashes or hangs gives an error with its tick;
/// the full chunks up to there are kept.
[[nodiscard]] core::Result<RecordResult> record_in_worker(const SimulationName& simulation,
                                                          const RecordPlan& plan,
                                                          const WorkerOptions& options);

// Where trials run that begin in the middle of another one.

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

// Where trials run that begin alike: what they share is run once.

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
