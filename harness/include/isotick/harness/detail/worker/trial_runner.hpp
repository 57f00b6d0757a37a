#pragma once
// Where trials run: in worker processes, several at a time, or in the calling process.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulations/simulation_name.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// How trials are run; none of it has an influence on what they compute.
struct WorkerOptions {
    /// The program to start as a worker; it must call run_if_worker. The default is this program.
    std::string executable = "/proc/self/exe";
    std::size_t jobs = 0;               ///< trials at a time; 0: as many as there are processors
    std::uint64_t timeout_ms = 10'000;  ///< without progress; 0: wait for ever
    std::uint64_t memory_limit = std::uint64_t{4} << 30;  ///< bytes per trial; 0: none
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

}  // namespace isotick::harness
