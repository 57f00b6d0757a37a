#pragma once
// Requests to workers, several at a time.

#include "../system/copied_process.hpp"
#include "worker_process.hpp"

#include <isotick/harness/detail/trial_runner.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// One worker with a request under way, watched for progress.

/// How often a lane has to be looked at, in milliseconds, so that a hang is seen in time.
inline constexpr int kLookEveryMs = 50;

/// Runs one request after another in a worker that it starts, and starts again where it has ended.
/// A request that makes no progress is killed. Not thread-safe.
class Lane {
  public:
    /// Hands over a request; the lane must be idle. Fresh: to a new worker, for this request only.
    /// One that is started otherwise than the last: to a new worker too.
    [[nodiscard]] core::Result<void> start(const Request& request, WorkerProcess::Kind kind,
                                           const WorkerOptions& options);

    [[nodiscard]] bool busy() const { return busy_; }

    /// What to wait on for reading while it is busy.
    [[nodiscard]] std::array<int, 2> files() const {
        return {worker_->socket(), worker_->output()};
    }

    /// Whether a worker is there, with whatever earlier requests left in it.
    [[nodiscard]] bool has_worker() const { return worker_.has_value(); }

    /// Reads what is there to read, and ends a worker that has made no progress for too long.
    /// Returns the end of the request once it has come; then the lane is idle.
    [[nodiscard]] std::optional<RequestEnd> attend(const WorkerOptions& options);

    /// Ends the worker, with whatever it works on.
    void stop();

  private:
    std::optional<WorkerProcess> worker_;
    WorkerProcess::Kind kind_ = WorkerProcess::Kind::fork_server;
    ProcessSetup process_;  // of the worker
    bool busy_ = false;
    HangWatch watch_;
};

// Hands requests to worker processes and collects their ends in order.

/// Runs every request and returns how each ended, in the order of the requests. `kind` other
/// than fork_server: each in a newly exec'ed process. One that was killed from outside is run once
/// more, in a fresh process. Fails only where no worker process can be started at all.
[[nodiscard]] core::Result<std::vector<RequestEnd>> run_requests(std::span<const Request> requests,
                                                                 WorkerProcess::Kind kind,
                                                                 const WorkerOptions& options);

/// What ended a process before it could answer: `killed by signal 11 (…) in step of tick 17`.
[[nodiscard]] std::string cause_of(const RequestEnd& end, const WorkerOptions& options);

}  // namespace isotick::harness
