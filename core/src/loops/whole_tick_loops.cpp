// Loops as the literature has them: in double, in milliseconds, reversible, in whole ticks.

#include "engine.hpp"

#include <algorithm>
#include <cmath>

namespace isotick::core {
namespace {

// The loops as the literature prints them, in double: their rounding is their point. Nothing here
// may be simplified: every + and − is done in the order printed.

// A frame of more ticks than this is not counted out by subtraction, which would take for ever.
constexpr std::uint64_t kMostSubtractions = 1'000'000;

class DoubleLoop final : public EngineOf<DoubleLoop> {
  public:
    DoubleLoop(TickRate rate, const LoopOptions& options)
        : kind_(options.kind),
          dt_(rate.dt_seconds()),
          per_second_(static_cast<double>(rate.numerator()) / rate.denominator()),
          scale_(static_cast<double>(options.time_scale.numerator) /
                 static_cast<double>(options.time_scale.denominator)),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)) {
        if (kind_ == LoopKind::turns) {
            held_ = 1;
        } else if (kind_ == LoopKind::accumulator_double) {
            held_ = dt_ * (static_cast<double>(options.start_phase.numerator) /
                           static_cast<double>(options.start_phase.denominator));
        }
    }

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = not_negative(frame_time);
        const double before = seconds();
        now_ = saturating_sum(now_, lasted);
        std::uint64_t due = 0;
        if (kind_ == LoopKind::clock_double) {
            due = catch_up();
        } else if (kind_ == LoopKind::turns) {
            held_ += per_second_ * (seconds() - before);
            due = take(1);
        } else {
            frame.plan.cut.nanoseconds = lasted - std::min(lasted, longest_);
            // The clamp is to a number, not a difference of two readings: 0.25.
            held_ += scale_ * (lasted > longest_ ? to_seconds(longest_) : seconds() - before);
            due = take(dt_);
        }
        frame.plan.ticks = std::min(due, most_);
        frame.plan.given_up = due - frame.plan.ticks;
        frame.plan.alpha = alpha_after({});
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        const double passed = to_seconds(not_negative(later));
        switch (kind_) {
            case LoopKind::clock_double:
                return below_one((seconds() + passed - simulated_) / dt_);
            case LoopKind::turns:
                return below_one(held_ + per_second_ * passed);
            default:
                return below_one((held_ + scale_ * passed) / dt_);
        }
    }

  private:
    static double to_seconds(std::int64_t nanoseconds) {
        return static_cast<double>(nanoseconds) / 1e9;
    }

    [[nodiscard]] double seconds() const { return to_seconds(now_); }

    // while (held >= step) held -= step;
    std::uint64_t take(double step) {
        std::uint64_t ticks = 0;
        while (held_ >= step && ticks < kMostSubtractions) {
            held_ -= step;
            ++ticks;
        }
        if (held_ >= step) {
            const double rest = std::fmod(held_, step);
            ticks += static_cast<std::uint64_t>((held_ - rest) / step + 0.5);
            held_ = rest;
        }
        return ticks;
    }

    // while (now - simulated >= dt) simulated += dt;
    std::uint64_t catch_up() {
        std::uint64_t ticks = 0;
        while (seconds() - simulated_ >= dt_ && ticks < kMostSubtractions) {
            simulated_ += dt_;
            ++ticks;
        }
        if (const double behind = seconds() - simulated_; behind >= dt_) {
            ticks += static_cast<std::uint64_t>(behind / dt_);
            simulated_ = seconds() - std::fmod(behind, dt_);
        }
        return ticks;
    }

    LoopKind kind_;
    double dt_;
    double per_second_;
    double scale_;
    std::int64_t longest_;
    std::uint64_t most_;
    std::int64_t now_ =
        0;             // the clock, which the loop reads in seconds; stops at the largest int64
    double held_ = 0;  // seconds; turns for `turns`
    double simulated_ = 0;
};

}  // namespace

EngineResult make_double_loop(TickRate rate, const LoopOptions& options) {
    return std::unique_ptr<Loop::Engine>(std::make_unique<DoubleLoop>(rate, options));
}

// A loop as it was written on SDL_GetTicks: clock, accumulator and tick in whole milliseconds.

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kMillisecondsPerSecond = 1'000;

class MillisecondLoop final : public EngineOf<MillisecondLoop> {
  public:
    MillisecondLoop(std::int64_t tick, const LoopOptions& options)
        : tick_(tick),
          longest_(options.longest_frame
                       ? std::max(options.longest_frame->nanoseconds / kMillisecond, tick)
                       : kMostNanoseconds / kMillisecond),
          view_(options.view) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t before = now_ / kMillisecond;
        now_ = saturating_sum(now_, not_negative(frame_time));
        const std::int64_t lasted = now_ / kMillisecond - before;
        const std::int64_t fed = std::min(lasted, longest_);
        frame.plan.cut.nanoseconds = (lasted - fed) * kMillisecond;
        held_ += fed;
        frame.plan.ticks = static_cast<std::uint64_t>(held_ / tick_);
        held_ %= tick_;
        frame.plan.alpha = alpha(held_);
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        const std::int64_t then = saturating_sum(now_, not_negative(later));
        return alpha(held_ + then / kMillisecond - now_ / kMillisecond);
    }

  private:
    [[nodiscard]] double alpha(std::int64_t held) const {
        return view_ == View::current
                   ? 0
                   : below_one(static_cast<double>(held) / static_cast<double>(tick_));
    }

    std::int64_t tick_;  // in milliseconds, as are longest_ and held_
    std::int64_t longest_;
    View view_;
    std::int64_t now_ = 0;  // in nanoseconds
    std::int64_t held_ = 0;
};

}  // namespace

EngineResult make_millisecond_loop(TickRate rate, const LoopOptions& options) {
    const std::uint64_t tick = kMillisecondsPerSecond * rate.denominator() / rate.numerator();
    if (tick == 0) {
        return fail(ErrorCode::limit, "the loop milliseconds takes at most 1000 ticks per second");
    }
    return std::unique_ptr<Loop::Engine>(
        std::make_unique<MillisecondLoop>(static_cast<std::int64_t>(tick), options));
}

// Time that may run backwards, through states that were there before.

namespace {

// How many ticks are done, and alpha, are functions of the time alone: so going back gives the
// moments that were there going forward.
class ReversibleLoop final : public EngineOf<ReversibleLoop> {
  public:
    ReversibleLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& start)
        : start_(start), loop_(start), longest_(effective_longest_frame(rate, options)) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t limited = std::clamp(frame_time.nanoseconds, -longest_, longest_);
        const std::int64_t before = now_;
        now_ = limited < 0 ? std::max<std::int64_t>(before + limited, 0)
                           : saturating_sum(before, limited);
        // In unsigned numbers, so that the smallest int64 has a magnitude too; what is cut of it is
        // at most the largest.
        const auto moved = static_cast<std::uint64_t>(limited < 0 ? before - now_ : now_ - before);
        const auto bits = static_cast<std::uint64_t>(frame_time.nanoseconds);
        const std::uint64_t asked = frame_time.nanoseconds < 0 ? 0 - bits : bits;
        frame.plan.cut.nanoseconds = static_cast<std::int64_t>(
            std::min(asked - moved, static_cast<std::uint64_t>(kMostNanoseconds)));
        loop_ = start_;
        const FramePlan now = loop_.advance({now_});
        frame.plan.alpha = now.alpha;
        frame.plan.ticks = now.ticks - std::min(now.ticks, done_);
        frame.back = done_ - std::min(now.ticks, done_);
        done_ = now.ticks;
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        return loop_.alpha_after(later);
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    AccumulatorLoop start_;
    AccumulatorLoop loop_;  // as after one frame of now_
    std::int64_t longest_;
    std::int64_t now_ = 0;
    std::uint64_t done_ = 0;
};

}  // namespace

EngineResult make_reversible_loop(TickRate rate, const LoopOptions& options) {
    return make_unlimited(rate, options).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<ReversibleLoop>(rate, options, loop));
    });
}

// Waits until the frame is whole ticks long: nothing is left over, so nothing need be blended.

namespace {

class WholeTicksLoop final : public EngineOf<WholeTicksLoop> {
  public:
    WholeTicksLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& loop)
        : loop_(loop),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = not_negative(frame_time);
        const std::int64_t fed = std::min(lasted, longest_);
        std::uint64_t due = loop_.advance({fed}).ticks;
        if (loop_.passed() > 0) {
            frame.wait = loop_.until_tick(1);
            due += loop_.advance(frame.wait).ticks;
        }
        frame.plan.ticks = std::min(due, most_);
        frame.plan.given_up = due - frame.plan.ticks;
        frame.plan.cut.nanoseconds = lasted - fed;
        return frame;
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    AccumulatorLoop loop_;
    std::int64_t longest_;
    std::uint64_t most_;
};

}  // namespace

EngineResult make_whole_ticks_loop(TickRate rate, const LoopOptions& options) {
    return make_unlimited(rate, options).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<WholeTicksLoop>(rate, options, loop));
    });
}

// Ticks without a remainder: as many per frame as it pretends to be long.

namespace {

__extension__ using Wide = unsigned __int128;

// numerator / denominator to the nearest whole number, halves up, but at least one.
std::uint64_t nearest_from_one(Wide numerator, Wide denominator) {
    const Wide nearest = (2 * numerator + denominator) / (2 * denominator);
    return static_cast<std::uint64_t>(std::clamp<Wide>(nearest, 1, kNoLimit));
}

class PerFrameLoop final : public EngineOf<PerFrameLoop> {
  public:
    PerFrameLoop(TickRate rate, const LoopOptions& options)
        : rate_(rate),
          shortest_(options.shortest_frame.nanoseconds),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)),
          is_measured_(options.kind == LoopKind::substeps && !options.display) {
        if (options.display) {
            ticks_ = nearest_from_one(Wide{rate.numerator()} * options.display->denominator(),
                                      Wide{rate.denominator()} * options.display->numerator());
        }
    }

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = not_negative(frame_time);
        frame.wait.nanoseconds = std::max(shortest_ - lasted, std::int64_t{0});
        std::uint64_t due = ticks_;
        if (is_measured_) {
            const std::int64_t fed = std::min(lasted, longest_);
            frame.plan.cut.nanoseconds = lasted - fed;
            due = fed == 0 ? 0
                           : nearest_from_one(static_cast<Wide>(fed) * rate_.numerator(),
                                              Wide{rate_.denominator()} * kNanosecondsPerSecond);
        }
        frame.plan.ticks = std::min(due, most_);
        frame.plan.given_up = due - frame.plan.ticks;
        return frame;
    }

  private:
    TickRate rate_;
    std::int64_t shortest_;
    std::int64_t longest_;
    std::uint64_t most_;
    bool is_measured_;
    std::uint64_t ticks_ = 1;
};

}  // namespace

EngineResult make_per_frame_loop(TickRate rate, const LoopOptions& options) {
    return std::unique_ptr<Loop::Engine>(std::make_unique<PerFrameLoop>(rate, options));
}

}  // namespace isotick::core
