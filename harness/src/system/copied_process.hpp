#pragma once
// Work in a copy of this process (fork), with a limit on how long it may hang.

#include "preload.hpp"
#include "process.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/progress.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace isotick::harness {

// Whether a process still makes progress.

/// Told of its beats (see Progress) now and then.
class HangWatch {
  public:
    void start(std::uint64_t beats) {
        beats_ = beats;
        moved_ = Clock::now();
    }

    /// Whether it has had the same beats for longer than that; 0: never.
    [[nodiscard]] bool hangs(std::uint64_t beats, std::uint64_t allowed_ms) {
        if (beats != beats_) {
            start(beats);
        }
        return allowed_ms != 0 && Clock::now() - moved_ > std::chrono::milliseconds(allowed_ms);
    }

  private:
    using Clock = OwnClock;

    std::uint64_t beats_ = 0;
    Clock::time_point moved_ = Clock::now();
};

// Forked copies of a process as cheap snapshots of everything in it: a copy can be ruined without
// harm to the original.

struct CopyLimits {
    std::uint64_t hang_ms = 5'000;  ///< without progress, after which the copy is killed; 0: never
    bool tampered = false;  ///< what it prints is dropped, and it gets little memory of its own
};

/// How a copy ended.
struct CopyEnd {
    bool finished = false;   ///< the answer is complete
    bool timed_out = false;  ///< it was killed for making no progress
    ProcessEnd process;
    std::string answer;  ///< where finished
    std::string reason;  ///< where not: what ended it, and what it was doing
};

/// Runs `body` in a forked copy of this process, which then ends without running destructors, and
/// returns its answer. The body gets a progress of its own; meanwhile its steps show in `progress`.
/// The calling process must have no other threads that the body needs. Fails where the system has
/// no room for a copy.
[[nodiscard]] core::Result<CopyEnd> run_in_copy(Progress& progress, const CopyLimits& limits,
                                                const std::function<std::string(Progress&)>& body);

}  // namespace isotick::harness
