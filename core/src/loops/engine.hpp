#pragma once
// What is behind Loop: one engine for each family of kinds, made by the functions below. They
// expect options that Loop::make has checked: only those of the kind, each in its range.

#include <isotick/core/loops.hpp>

#include <memory>

namespace isotick::core {

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
