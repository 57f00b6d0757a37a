#pragma once
// The fake clock of a playback, and the loop that its game's ticks are counted against.

#include <isotick/core/detail/schedule/frame_source.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace isotick::replay {

/// Hands out frame times and knows how many ticks they hold.
class PlaybackClock {
  public:
    PlaybackClock(core::FrameSource frames, core::Loop loop)
        : frames_(std::move(frames)), loop_(std::move(loop)) {}

    core::FrameTime next_frame() {
        const core::FrameTime frame_time = frames_.next();
        now_ns_ = saturating_sum(now_ns_, frame_time.nanoseconds);
        ticks_due_ += loop_.advance(frame_time).plan.ticks;
        return frame_time;
    }

    [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }
    [[nodiscard]] std::uint64_t ticks_due() const { return ticks_due_; }
    [[nodiscard]] std::uint64_t schedule_repeats() const { return frames_.repeats(); }

  private:
    static std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
        using Limits = std::numeric_limits<std::int64_t>;
        std::int64_t sum = 0;
        if (!__builtin_add_overflow(a, b, &sum)) {
            return sum;
        }
        return a < 0 ? Limits::min() : Limits::max();
    }

    core::FrameSource frames_;
    core::Loop loop_;
    std::int64_t now_ns_ = 0;
    std::uint64_t ticks_due_ = 0;
};

}  // namespace isotick::replay
