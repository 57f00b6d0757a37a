#pragma once
// What turns frame times into ticks: the accumulator loop of Fiedler, "Fix Your Timestep!"
// (sections "Free the physics" and "The final touch"), exact in integers.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <optional>

namespace isotick::core {

/// An exact quotient. Its terms need not be in lowest terms.
struct Fraction {
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
    friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// What a host may choose about its loop. None of it may matter to the simulation's bits.
struct LoopOptions {
    /// A longer frame is cut to this, and the simulation runs slow rather than spiralling to
    /// death (the article's 0.25 s); none: frames are never cut. Must be above zero. A limit
    /// shorter than one tick counts as one tick, so that nominal frames are never cut.
    std::optional<FrameTime> longest_frame = FrameTime{250'000'000};

    /// At most so many ticks per frame; whole ticks beyond it are given up and the fraction of a
    /// tick that remains keeps its phase. None: no limit. Must be above zero.
    std::optional<std::uint64_t> most_ticks = {};

    /// Simulated time per frame time: 1/4 is bullet time, 0/1 stands still, 2/1 is twice as fast.
    /// One tick must still last at least a nanosecond of frame time.
    Fraction time_scale{1, 1};

    /// How much of tick 0 has passed before the first frame, from 0/1 to 1/1. At 1/1 the first
    /// frame steps at once, however short it is.
    Fraction start_phase{0, 1};

    friend bool operator==(const LoopOptions&, const LoopOptions&) = default;
};

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

    /// Fails (usage, limit) on options outside what LoopOptions says, on a fraction whose terms
    /// exceed TickRate::kLargestTerm or whose denominator is zero.
    [[nodiscard]] static Result<AccumulatorLoop> make(TickRate rate,
                                                      const LoopOptions& options = {});

    /// Turns one frame time into whole ticks and the blend factor for rendering. A negative frame
    /// time counts as zero; zero and the largest int64 are ordinary.
    [[nodiscard]] FramePlan advance(FrameTime frame_time);

    // The balance, exact at any time: with `fed` the nanoseconds given to advance without what was
    // negative or cut, and `ticks` and `given_up` the sums over all plans,
    // start() + fed × per_nanosecond() == held() + (ticks + given_up) × per_tick().

    /// Units accumulated and not yet used: the head start, and what remains of frame times.
    [[nodiscard]] Units held() const { return held_; }
    /// What held() was before the first frame: the head start and the start phase, rounded up.
    [[nodiscard]] Units start() const { return start_; }
    /// Units in a tick.
    [[nodiscard]] Units per_tick() const { return per_tick_; }
    /// Units that a nanosecond of frame time is worth.
    [[nodiscard]] std::uint64_t per_nanosecond() const { return per_nanosecond_; }

  private:
    AccumulatorLoop(TickRate rate, const LoopOptions& options);

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
