#pragma once
// Hands requests to worker processes and collects their ends in order.

#include "worker_process.hpp"

#include <isotick/harness/detail/worker/trial_runner.hpp>

#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// Runs every request and returns how each ended, in the order of the requests. `kind` other
/// than fork_server: each in a newly exec'ed process. One that was killed from outside is run once
/// more, in a fresh process. Fails only where no worker process can be started at all.
[[nodiscard]] core::Result<std::vector<RequestEnd>> run_requests(std::span<const Request> requests,
                                                                 WorkerProcess::Kind kind,
                                                                 const WorkerOptions& options);

/// What ended a process before it could answer: `killed by signal 11 (…) in step of tick 17`.
[[nodiscard]] std::string cause_of(const RequestEnd& end, const WorkerOptions& options);

}  // namespace isotick::harness
