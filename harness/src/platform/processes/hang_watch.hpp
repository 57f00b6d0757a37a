#pragma once
// Whether a process still makes progress.

#include "../../preload/own_clock.hpp"

#include <chrono>
#include <cstdint>

namespace isotick::harness {

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

}  // namespace isotick::harness
