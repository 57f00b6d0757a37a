#pragma once
// What a loop is to loops.cpp, and its limits.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/time.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace isotick::core {

// Numbers that all loops share.

inline constexpr std::int64_t kMostNanoseconds = std::numeric_limits<std::int64_t>::max();
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
inline constexpr double kJustBelowOne = 1.0 - std::numeric_limits<double>::epsilon() / 2;

/// LoopOptions::longest_frame in nanoseconds, at least a tick; the largest int64 where none.
inline std::int64_t effective_longest_frame(TickRate rate, const LoopOptions& options) {
    if (!options.longest_frame) {
        return kMostNanoseconds;
    }
    // A nominal frame lasts a tick, rounded down or up.
    return std::max(options.longest_frame->nanoseconds, rate.time_of(1) + 1);
}

/// The nanoseconds of a frame time of which a negative one counts as zero.
inline std::int64_t not_negative(FrameTime time) {
    return std::max<std::int64_t>(time.nanoseconds, 0);
}

/// `a` + `b`, at most the largest int64. Neither may be negative.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    return a > kMostNanoseconds - b ? kMostNanoseconds : a + b;
}

inline double below_one(double alpha) {
    return std::clamp(alpha, 0.0, kJustBelowOne);
}

// What is behind Loop: one engine for each family of kinds, made by the functions below. They
// expect options that Loop::make has checked: only those of the kind, each in its range.

/// One loop. See Loop for what the functions mean.
class Loop::Engine {
  public:
    Engine() = default;
    Engine(Engine&&) = delete;
    Engine& operator=(const Engine&) = delete;
    Engine& operator=(Engine&&) = delete;
    virtual ~Engine() = default;

    [[nodiscard]] virtual HostFrame advance(FrameTime frame_time) = 0;
    [[nodiscard]] virtual std::unique_ptr<Engine> clone() const = 0;
    [[nodiscard]] virtual double alpha_after(FrameTime /*later*/) const { return 0; }
    [[nodiscard]] virtual const AccumulatorLoop* accumulator() const { return nullptr; }
    [[nodiscard]] virtual Fraction stockpile() const { return {0, 1}; }

  protected:
    Engine(const Engine&) = default;
};

/// An engine that copies itself.
template <class Self>
class EngineOf : public Loop::Engine {
  public:
    [[nodiscard]] std::unique_ptr<Engine> clone() const override {
        return std::make_unique<Self>(static_cast<const Self&>(*this));
    }
};

using EngineResult = Result<std::unique_ptr<Loop::Engine>>;

/// An accumulator with these options alone of AccumulatorLoop's: no limits.
[[nodiscard]] Result<AccumulatorLoop> make_unlimited(TickRate rate, const LoopOptions& options);

/// accumulator, threaded, clock, canonical: with whatever options they have.
[[nodiscard]] EngineResult make_policy_loop(TickRate rate, const LoopOptions& options);
[[nodiscard]] EngineResult make_reversible_loop(TickRate rate, const LoopOptions& options);
[[nodiscard]] EngineResult make_whole_ticks_loop(TickRate rate, const LoopOptions& options);
/// fixed, substeps.
[[nodiscard]] EngineResult make_per_frame_loop(TickRate rate, const LoopOptions& options);
[[nodiscard]] EngineResult make_millisecond_loop(TickRate rate, const LoopOptions& options);
/// accumulator_double, clock_double, turns.
[[nodiscard]] EngineResult make_double_loop(TickRate rate, const LoopOptions& options);
/// variable, semi_fixed, ranged.
[[nodiscard]] EngineResult make_changing_loop(TickRate rate, const LoopOptions& options);
[[nodiscard]] EngineResult make_growing_loop(TickRate rate, const LoopOptions& options);

}  // namespace isotick::core
