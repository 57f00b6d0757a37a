// The loops as the literature prints them, in double: their rounding is their point. Nothing here
// may be simplified: every + and − is done in the order printed.

#include "../engine.hpp"
#include "../limits.hpp"

#include <algorithm>
#include <cmath>

namespace isotick::core {
namespace {

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

}  // namespace isotick::core
