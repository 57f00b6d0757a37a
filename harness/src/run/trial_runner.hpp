#pragma once
// Runs trials in workers, or in this process.

#include "worker_process.hpp"

#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

namespace isotick::harness {

// What a worker's answer says about the trial that it was asked to run.

/// The trial's result, also where its process ended before it could answer. Takes what `end` holds.
[[nodiscard]] TrialResult trial_result(RequestEnd& end, const WorkerOptions& options);

}  // namespace isotick::harness
