#pragma once
// What a parent and a worker process share: a socket for signals, two anonymous files for the
// request and the response, and a block of shared memory for progress.

#include "posix.hpp"

#include <isotick/harness/detail/worker/progress.hpp>

#include <cstdint>

namespace isotick::harness {

/// What the worker reports over the socket when a request has ended.
struct EndOfRequest {
    std::int32_t wait_status = 0;   ///< of the process that ran it, as waitpid gives it
    std::uint32_t needs_fresh = 0;  ///< 1: nothing ran, it has to run in a process of its own
};

/// The descriptors at which a worker finds its ends.
inline constexpr int kWorkerSocket = 3;
inline constexpr int kWorkerProgress = 4;
inline constexpr int kWorkerRequest = 5;
inline constexpr int kWorkerResponse = 6;

/// The exit code of a worker that cannot reach its parent, which reads nothing else of it then.
inline constexpr int kBrokenChannel = 120;

/// A mapped Progress block. Movable.
class SharedProgress {
  public:
    SharedProgress() = default;
    /// Maps `file`; `get()` is null on failure. The maker of the file passes `initialise`.
    SharedProgress(int file, bool initialise);
    ~SharedProgress();
    SharedProgress(SharedProgress&& other) noexcept;
    SharedProgress& operator=(SharedProgress&& other) noexcept;

    [[nodiscard]] Progress* get() const { return progress_; }

  private:
    Progress* progress_ = nullptr;
};

}  // namespace isotick::harness
