#pragma once
// What turns frame times into ticks: the accumulator loop of Fiedler, "Fix Your Timestep!"
// (sections "Free the physics" and "The final touch"), exact in integers.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::core {

/// What a host does in one frame: `ticks` steps, then one render at `alpha`.
struct FramePlan {
    std::uint64_t ticks = 0;
    std::uint64_t given_up = 0;  ///< ticks beyond LoopOptions::most_ticks, never to be taken
    double alpha = 0;            ///< from 0 to below 1: how far the next tick has come
    FrameTime cut;               ///< what LoopOptions::longest_frame cut off this frame
};

/// The accumulator loop: accumulate, clamp, step, alpha.
///
/// Time is counted in *units*, chosen so that a nanosecond of frame time and a tick are whole
/// numbers of them. Nothing is ever rounded: no drift after any number of frames.
///
/// Tick n is due at the *floored* nanosecond of its exact time, TickRate::time_of(n + 1) at time
/// scale 1: integer frame times cannot hit 16 666 666.67 ns, and waiting for the next nanosecond
/// would let the nominal schedule miss a tick. In the accumulator this is a head start of one unit
/// less than a nanosecond of frame time; alpha does not count it. So the nominal schedule gives
/// exactly one tick per frame, for every rate, for ever.
///
/// A value: copying it copies the phase. Not thread-safe. It decides when ticks happen and must
/// never be part of what happens in them.
class AccumulatorLoop {
  public:
    /// Wide enough for every sum below (see make).
    __extension__ using Units = unsigned __int128;

    /// Takes longest_frame, most_ticks, time_scale and start_phase; Loop has the rest. Fails
    /// (usage, limit) on options outside what LoopOptions says, on others than these four, on a
    /// fraction whose terms exceed TickRate::kLargestTerm or whose denominator is zero.
    [[nodiscard]] static Result<AccumulatorLoop> make(TickRate rate,
                                                      const LoopOptions& options = {});

    /// Turns one frame time into whole ticks and the blend factor for rendering. A negative frame
    /// time counts as zero; zero and the largest int64 are ordinary.
    [[nodiscard]] FramePlan advance(FrameTime frame_time);

    /// What alpha would be `later` than the last frame ended, kept below 1. Negative counts as
    /// zero.
    [[nodiscard]] double alpha_after(FrameTime later) const;

    /// The least frame time after which `count` more ticks are done, were nothing cut; the largest
    /// int64 where no frame time is long enough.
    [[nodiscard]] FrameTime until_tick(Units count) const;

    // The balance, exact at any time: with `fed` the nanoseconds given to advance without what was
    // negative or cut, and `ticks` and `given_up` the sums over all plans,
    // start() + fed × per_nanosecond() == held() + (ticks + given_up) × per_tick().

    /// Units accumulated and not yet used: the head start, and what remains of frame times.
    [[nodiscard]] Units held() const { return held_; }
    /// What held() was before the first frame: the head start and the start phase, rounded up.
    [[nodiscard]] Units start() const { return start_; }
    /// Units of the tick to come that have passed: held() without the head start.
    [[nodiscard]] Units passed() const { return held_ > head_start_ ? held_ - head_start_ : 0; }
    /// Units in a tick.
    [[nodiscard]] Units per_tick() const { return per_tick_; }
    /// Units that a nanosecond of frame time is worth.
    [[nodiscard]] std::uint64_t per_nanosecond() const { return per_nanosecond_; }

  private:
    friend class Loop;
    AccumulatorLoop(TickRate rate, const LoopOptions& options);

    // advance, as a part of Loop::advance too: that spares its frames a call.
    [[nodiscard]] inline FramePlan advance_inline(FrameTime frame_time);

    // advance, with sums of type Sum: 64 bits where they suffice.
    template <class Sum>
    [[nodiscard]] FramePlan accumulate(std::uint64_t fed, FrameTime cut);
    [[nodiscard]] FramePlan accumulate_wide(std::uint64_t fed, FrameTime cut);
    template <class Sum>
    [[nodiscard]] double alpha(Sum held) const;

    Units held_;
    Units start_;
    Units per_tick_;
    std::uint64_t per_nanosecond_;
    std::uint64_t head_start_;
    std::int64_t longest_frame_;
    std::int64_t longest_narrow_frame_;  // up to here 64 bits suffice; negative: never
    std::uint64_t most_ticks_;
    int alpha_shift_ = 0;   // so that per_tick_ >> alpha_shift_ fits an int64
    double alpha_divisor_;  // per_tick_ >> alpha_shift_
};

}  // namespace isotick::core
