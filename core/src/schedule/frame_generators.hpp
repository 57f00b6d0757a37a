#pragma once
// The state behind each kind of frames. All are values with one verb: `next()` is the next frame
// time in nanoseconds. Integers only.

#include "tick_clock.hpp"

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <variant>

namespace isotick::core {

/// One frame time, again and again.
class ConstantFrames {
  public:
    explicit ConstantFrames(const ScheduleItem& item) : time_(item.duration.nanoseconds) {}
    std::int64_t next() { return time_; }

  private:
    std::int64_t time_;
};

class SteadyFrames {
  public:
    explicit SteadyFrames(TickClock clock) : clock_(clock) {}
    std::int64_t next() { return clock_.next(); }

  private:
    TickClock clock_;
};

/// Each frame is off by its own amount; a frame never goes below zero.
class JitterFrames {
  public:
    JitterFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    Pcg32 random_;
    TickClock clock_;
    std::int64_t spread_;
};

/// Whole refreshes: one, or with the share of misses two, three or four (equally often).
class VsyncFrames {
  public:
    VsyncFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    Pcg32 random_;
    TickClock clock_;
    std::uint32_t per_mille_;
};

class BimodalFrames {
  public:
    explicit BimodalFrames(const ScheduleItem& item);
    std::int64_t next();

  private:
    Pcg32 random_;
    std::int64_t usual_;
    std::int64_t rare_;
    std::uint32_t per_mille_;
};

/// Picks exactly one frame out of every so many, each time at a place drawn anew.
class OneInEvery {
  public:
    explicit OneInEvery(std::uint32_t every) : every_(every) {}
    bool next(Pcg32& random);

  private:
    std::uint32_t every_;
    std::uint32_t at_ = 0;
    std::uint32_t place_ = 0;
};

/// A picked frame is longer by a tenth to the whole of the longest hitch.
class HitchFrames {
  public:
    HitchFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    Pcg32 random_;
    TickClock clock_;
    OneInEvery hitches_;
    std::int64_t longest_;
};

/// Differences of readings rounded down to the clock's unit, as SDL_GetTicks gives them.
class QuantisedFrames {
  public:
    QuantisedFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    TickClock clock_;
    std::int64_t unit_;
    std::int64_t rest_ = 0;  // time since the last reading that it did not show
};

/// Zero while the clock stands still; the first frame after it carries the time that was missed.
class StuckFrames {
  public:
    StuckFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    static constexpr int kLongestRun = 100;  // so that even a share of 100% makes progress

    Pcg32 random_;
    TickClock clock_;
    std::uint32_t per_mille_;
    int run_ = 0;
    std::int64_t missed_ = 0;
};

/// Sometimes a frame time from -most to -1 ns stands in for a steady frame.
class BackwardsFrames {
  public:
    BackwardsFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    Pcg32 random_;
    TickClock clock_;
    std::uint32_t per_mille_;
    std::int64_t most_;
};

/// Before a picked steady frame comes a whole run of tiny ones.
class BurstFrames {
  public:
    BurstFrames(const ScheduleItem& item, TickClock clock);
    std::int64_t next();

  private:
    Pcg32 random_;
    TickClock clock_;
    OneInEvery bursts_;
    std::int64_t tiny_;
    std::uint32_t length_;
    std::uint32_t left_ = 0;
    bool steady_is_due_ = false;
};

/// Every frame ends 1 ns before, at or 1 ns after a floored multiple of the tick. One multiple in
/// four is crept across in 1 ns frames; one in eight is leapt over.
class EdgeFrames {
  public:
    /// `elapsed` is the time before the first frame, nanoseconds.
    EdgeFrames(const ScheduleItem& item, TickRate rate, std::uint64_t elapsed);
    std::int64_t next();

  private:
    Pcg32 random_;
    TickClock clock_;
    std::int64_t offset_;  // where the last frame ended, from the multiple before
    bool is_creeping_ = false;
};

// Eleven kinds and no more: beyond that std::visit of GCC calls through a table, which costs.
using FrameGenerator = std::variant<ConstantFrames, SteadyFrames, JitterFrames, VsyncFrames,
                                    BimodalFrames, HitchFrames, QuantisedFrames, StuckFrames,
                                    BackwardsFrames, BurstFrames, EdgeFrames>;

/// The frames of `item`, which must not be a mix or a capture, in a session of `session_rate` of
/// which `elapsed` nanoseconds have passed.
[[nodiscard]] FrameGenerator make_frame_generator(const ScheduleItem& item, TickRate session_rate,
                                                  std::uint64_t elapsed);

/// `rate`, or the nearest a generator can take.
[[nodiscard]] TickRate clamp_generator_rate(TickRate rate);

}  // namespace isotick::core
