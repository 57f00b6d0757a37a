#pragma once
// The frame times of a run of nominal frames.

#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::harness {

/// Frame k ends at the floored exact time of tick k + 1, counted from the start of the run, as in a
/// schedule.
class NominalClock {
  public:
    explicit NominalClock(core::TickRate rate) : rate_(rate) {}

    void restart() { frames_ = 0; }

    [[nodiscard]] core::FrameTime next() {
        const std::int64_t start = rate_.time_of(frames_);
        return {rate_.time_of(++frames_) - start};
    }

    /// So many frames hold `ticks` in any loop that is worth shrinking for: those of bullet time
    /// take several for one, and a loop whose time stands still takes all there are.
    [[nodiscard]] static std::uint64_t most_frames(std::uint64_t ticks) { return 64 * ticks; }

  private:
    core::TickRate rate_;
    std::uint64_t frames_ = 0;
};

}  // namespace isotick::harness
