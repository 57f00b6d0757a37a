// The exact accumulator with its policies, and loops whose ticks change in length.

#include "engine.hpp"

#include <isotick/core/detail/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

namespace isotick::core {

// Time under a time scale that changes smoothly.

/// Integrates a time scale that goes linearly from one value to another and then stays. The scaled
/// time is a function of the time so far alone, floored to nanoseconds: how it was divided into
/// frames does not matter, and nothing drifts.
class ScaledTime {
  public:
    __extension__ using Wide = __int128;

    /// The terms of `from` and `ramp.to` are at most ScaleRamp::kLargestTerm, `ramp.over` is above
    /// zero and at most ScaleRamp::kLongest.
    ScaledTime(Fraction from, const ScaleRamp& ramp);

    /// The scaled nanoseconds that pass in the next `nanoseconds`, which are not negative; at most
    /// the largest int64.
    [[nodiscard]] std::int64_t advance(std::int64_t nanoseconds);

  private:
    [[nodiscard]] Wide at(Wide time) const;

    Wide from_;  // the two scales over their common denominator
    Wide to_;
    Wide denominator_;
    Wide over_;
    Wide now_ = 0;
    Wide scaled_ = 0;
};

// Why 128 bits suffice: terms are below 2^20, so from_, to_ and denominator_ are below 2^40, as is
// over_. During the ramp, 2 × over × from × time < 2^121 and to × time² < 2^120. After it, time is
// kept below 2^85, and 2 × to × time < 2^126.
ScaledTime::ScaledTime(Fraction from, const ScaleRamp& ramp)
    : from_(static_cast<Wide>(from.numerator) * ramp.to.denominator),
      to_(static_cast<Wide>(ramp.to.numerator) * from.denominator),
      denominator_(static_cast<Wide>(from.denominator) * ramp.to.denominator),
      over_(ramp.over.nanoseconds) {}

ScaledTime::Wide ScaledTime::at(Wide time) const {
    if (time < over_) {
        return (2 * over_ * from_ * time + (to_ - from_) * time * time) /
               (2 * over_ * denominator_);
    }
    return ((from_ + to_) * over_ + 2 * to_ * (time - over_)) / (2 * denominator_);
}

std::int64_t ScaledTime::advance(std::int64_t nanoseconds) {
    constexpr Wide kEndOfTime = Wide{1} << 85U;
    now_ = std::min(now_ + nanoseconds, kEndOfTime);
    const Wide before = scaled_;
    scaled_ = at(now_);
    return static_cast<std::int64_t>(std::min(scaled_ - before, Wide{kMostNanoseconds}));
}

// Steps of changing length: `while (held >= least) step(min(held, most))`. A variable timestep has
// no `most` and almost no `least`, a semi-fixed one a `most`, a ranged one both. All of it in
// integers, so that the steps of a frame are the frame, exactly.

namespace {

__extension__ using Units = unsigned __int128;

constexpr Units kMostSteps = kNoLimit;  // what a term of the seam's dt holds
constexpr FrameTime kUsualLeast{12'000'000};
constexpr FrameTime kUsualMost{20'000'000};

Fraction reduced(std::uint64_t numerator, std::uint64_t denominator) {
    const std::uint64_t divisor = std::gcd(numerator, denominator);
    return {numerator / divisor, denominator / divisor};
}

// Time is counted in units of 1/per_second seconds.
struct Lengths {
    Units per_second;
    Units per_nanosecond;  // of frame time, at the time scale
    Units least;           // of a step
    Units most;
};

Lengths lengths_of(TickRate rate, const LoopOptions& options) {
    const Units scale = options.time_scale.denominator;
    Lengths lengths{kNanosecondsPerSecond * scale, options.time_scale.numerator, 1,
                    Units{1} << 127U};
    const auto units_of = [&](FrameTime time) {
        return static_cast<Units>(time.nanoseconds) * scale;
    };
    if (options.kind == LoopKind::ranged) {
        lengths.least = units_of(options.least_dt.value_or(kUsualLeast));
        lengths.most = units_of(options.most_dt.value_or(kUsualMost));
    } else if (options.kind == LoopKind::semi_fixed && options.most_dt) {
        lengths.most = units_of(*options.most_dt);
    } else if (options.kind == LoopKind::semi_fixed) {
        // One tick, in units of which a tick and a nanosecond are both whole numbers.
        lengths.most = lengths.per_second * rate.denominator();
        lengths.per_second *= rate.numerator();
        lengths.per_nanosecond *= rate.numerator();
    }
    return lengths;
}

class ChangingLoop final : public EngineOf<ChangingLoop> {
  public:
    ChangingLoop(TickRate rate, const LoopOptions& options, const Lengths& lengths)
        : lengths_(lengths),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)),
          is_even_(options.split == Split::even) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = not_negative(frame_time);
        const std::int64_t fed = std::min({lasted, longest_, longest_of_most_ticks()});
        frame.plan.cut.nanoseconds = lasted - fed;
        held_ += static_cast<Units>(fed) * lengths_.per_nanosecond;
        if (held_ >= lengths_.least) {
            is_even_ ? step_evenly(frame) : step(frame);
        }
        return frame;
    }

    [[nodiscard]] Fraction stockpile() const override { return seconds(held_, 1); }

  private:
    // So that no more than most_ steps are made of what is held then.
    [[nodiscard]] std::int64_t longest_of_most_ticks() const {
        constexpr Units kLongest = kMostNanoseconds;
        if (most_ == kNoLimit || most_ > kLongest / lengths_.most || lengths_.per_nanosecond == 0) {
            return kMostNanoseconds;
        }
        const Units room = (lengths_.most * most_ - held_) / lengths_.per_nanosecond;
        return static_cast<std::int64_t>(std::min(room, kLongest));
    }

    // Longest steps and what remains, or keeps what is too short for a step.
    void step(HostFrame& frame) {
        const Units whole = held_ / lengths_.most;
        const Units rest = held_ % lengths_.most;
        const bool is_step = rest >= lengths_.least;
        const Units each = whole > 0 ? lengths_.most : rest;
        frame.plan.ticks = static_cast<std::uint64_t>(whole + (is_step ? 1 : 0));
        frame.dt = ChangingDt{seconds(each, 1), seconds(is_step ? rest : each, 1)};
        held_ = is_step ? 0 : rest;
    }

    // The fewest equal steps that are not too long.
    void step_evenly(HostFrame& frame) {
        const Units ticks = (held_ + lengths_.most - 1) / lengths_.most;
        frame.plan.ticks = static_cast<std::uint64_t>(ticks);
        const Fraction each = seconds(held_, ticks);
        frame.dt = ChangingDt{each, each};
        held_ = 0;
    }

    // `units` / `parts`; the terms fit because make_changing_loop has checked the largest.
    [[nodiscard]] Fraction seconds(Units units, Units parts) const {
        return reduced(static_cast<std::uint64_t>(units),
                       static_cast<std::uint64_t>(lengths_.per_second * parts));
    }

    Lengths lengths_;
    std::int64_t longest_;
    std::uint64_t most_;
    bool is_even_;
    Units held_ = 0;
};

// The largest terms that ChangingLoop::seconds can meet.
bool fits(TickRate rate, const LoopOptions& options, const Lengths& lengths) {
    const Units longest =
        static_cast<Units>(effective_longest_frame(rate, options)) * lengths.per_nanosecond;
    const bool is_whole = options.kind == LoopKind::variable || options.split == Split::even;
    const Units parts = options.split == Split::even ? longest / lengths.most + 1 : 1;
    return (is_whole ? longest : lengths.most) <= kMostSteps &&
           lengths.per_second <= kMostSteps / parts;
}

}  // namespace

// Why 128 bits suffice: at most a tick's terms (below 2^30), the scale's (below 2^30) and a frame's
// nanoseconds (below 2^63) are multiplied.
EngineResult make_changing_loop(TickRate rate, const LoopOptions& options) {
    const Lengths lengths = lengths_of(rate, options);
    if (lengths.least > lengths.most) {
        return fail(ErrorCode::usage, "the loop's least dt must not be above its most");
    }
    if (lengths.most < lengths.per_nanosecond) {
        return fail(ErrorCode::limit,
                    "at this time scale the longest step would be shorter than a "
                    "nanosecond of frame time");
    }
    if (!fits(rate, options, lengths)) {
        return fail(ErrorCode::limit,
                    "a step's exact length could need more than 64 bits; choose a time scale of "
                    "smaller terms, or a shorter longest frame");
    }
    return std::unique_ptr<Loop::Engine>(std::make_unique<ChangingLoop>(rate, options, lengths));
}

// A tick that grows while the host cannot keep up, as the SDL article considers.

namespace {

constexpr std::uint64_t kUsualGrowth = 8;

class GrowingLoop final : public EngineOf<GrowingLoop> {
  public:
    GrowingLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& loop)
        : rate_(rate), loop_(loop), steps_(options.steps), most_growth_(growth_of(rate, options)) {}

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        frame.plan = loop_.advance(frame_time);
        const std::uint64_t due = left_ + frame.plan.ticks;
        growth_ = 1;
        while (due / growth_ > steps_ && growth_ <= most_growth_ / 2) {
            growth_ *= 2;
        }
        frame.plan.ticks = due / growth_;
        left_ = due % growth_;
        frame.plan.alpha = of_growth(frame.plan.alpha);
        if (frame.plan.ticks > 0) {
            frame.dt = ChangingDt{dt(), dt()};
        }
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        return of_growth(loop_.alpha_after(later));
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    // The most ticks that a step may stand for; a power of two is at most that.
    static std::uint64_t growth_of(TickRate rate, const LoopOptions& options) {
        if (!options.most_dt) {
            return kUsualGrowth;
        }
        __extension__ using Wide = unsigned __int128;
        const Wide ticks = static_cast<Wide>(options.most_dt->nanoseconds) * rate.numerator() /
                           (Wide{kNanosecondsPerSecond} * rate.denominator());
        return static_cast<std::uint64_t>(ticks);
    }

    // growth × denominator is at most most_dt × numerator, 2^63 ns × 10^9 per second: it fits.
    [[nodiscard]] Fraction dt() const {
        const std::uint64_t length = growth_ * rate_.denominator();
        const std::uint64_t divisor = std::gcd(length, std::uint64_t{rate_.numerator()});
        return {length / divisor, rate_.numerator() / divisor};
    }

    [[nodiscard]] double of_growth(double alpha) const {
        return below_one((static_cast<double>(left_) + alpha) / static_cast<double>(growth_));
    }

    TickRate rate_;
    AccumulatorLoop loop_;
    std::uint64_t steps_;
    std::uint64_t most_growth_;
    std::uint64_t growth_ = 1;  // ticks to a step, in the last frame
    std::uint64_t left_ = 0;    // ticks that did not fill a step
};

}  // namespace

EngineResult make_growing_loop(TickRate rate, const LoopOptions& options) {
    LoopOptions inner;
    inner.longest_frame = options.longest_frame;
    return AccumulatorLoop::make(rate, inner).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<GrowingLoop>(rate, options, loop));
    });
}

// The exact accumulator under everything that may be chosen about it: debt, ramps, every n-th tick
// …

namespace {

using Units = AccumulatorLoop::Units;

class PolicyLoop final : public EngineOf<PolicyLoop> {
  public:
    PolicyLoop(TickRate rate, const LoopOptions& options, const AccumulatorLoop& loop)
        : loop_(loop),
          options_(options),
          longest_(effective_longest_frame(rate, options)),
          most_(options.most_ticks.value_or(kNoLimit)) {
        if (options.ramp) {
            ramp_.emplace(options.time_scale, *options.ramp);
        }
    }

    [[nodiscard]] HostFrame advance(FrameTime frame_time) override {
        HostFrame frame;
        const std::int64_t lasted = repay(frame_time);
        const std::int64_t given = std::max(lasted, options_.shortest_frame.nanoseconds);
        frame.wait.nanoseconds = given - lasted;
        const std::int64_t fed = limit(given, frame.plan.cut);
        const FramePlan due = loop_.advance({ramp_ ? ramp_->advance(fed) : fed});
        frame.owed.nanoseconds = owed_;
        frame.plan.alpha = due.alpha;
        frame.plan.ticks = due.ticks;
        skip_ticks(frame.plan);
        frame.plan.given_up = frame.plan.ticks - std::min(frame.plan.ticks, most_);
        frame.plan.ticks -= frame.plan.given_up;
        if (options_.reread.nanoseconds > 0 || options_.view == View::current) {
            frame.plan.alpha = alpha_after(options_.reread);
        }
        frame.renders = options_.render == RenderWhen::always || frame.plan.ticks > 0;
        return frame;
    }

    [[nodiscard]] double alpha_after(FrameTime later) const override {
        if (options_.view == View::current) {
            return 0;
        }
        return of_every(loop_.alpha_after(later));
    }

    [[nodiscard]] const AccumulatorLoop* accumulator() const override { return &loop_; }

  private:
    // How long a frame lasted by a clock that may go backwards.
    std::int64_t repay(FrameTime frame_time) {
        const std::int64_t lasted = not_negative(frame_time);
        if (options_.negative == NegativeTime::zero) {
            return lasted;
        }
        if (frame_time.nanoseconds < 0) {
            const auto back = -std::max(frame_time.nanoseconds, -kMostNanoseconds);
            behind_ = saturating_sum(behind_, back);
            return 0;
        }
        const std::int64_t repaid = std::min(lasted, behind_);
        behind_ -= repaid;
        return lasted - repaid;
    }

    // What of `given` goes into the accumulator now.
    std::int64_t limit(std::int64_t given, FrameTime& cut) {
        std::int64_t fed = std::min(given, longest_);
        if (options_.debt == Debt::kept) {
            const std::int64_t available = saturating_sum(owed_, given);
            fed = std::min({available, longest_, longest_without_a_tick_more()});
            owed_ = available - fed;
            return fed;
        }
        if (options_.debt == Debt::reset) {
            const auto left = Units{options_.every} - skipped_;
            fed = is_too_long(given) ? std::min(given, loop_.until_tick(left).nanoseconds) : given;
        }
        cut.nanoseconds = given - fed;
        return fed;
    }

    // The most that can be fed without more than most_ ticks to run.
    [[nodiscard]] std::int64_t longest_without_a_tick_more() const {
        if (most_ == kNoLimit) {
            return kMostNanoseconds;
        }
        const Units too_many = (Units{most_} + 1) * options_.every - skipped_;
        return loop_.until_tick(too_many).nanoseconds - 1;
    }

    // Whether more than a limit would be accumulated with `given` more nanoseconds.
    [[nodiscard]] bool is_too_long(std::int64_t given) const {
        const Units per_nanosecond = loop_.per_nanosecond();
        const Units total = skipped_ * loop_.per_tick() + loop_.passed() +
                            static_cast<Units>(given) * per_nanosecond;
        const Units due = total / loop_.per_tick();
        const Units most = Units{most_} * options_.every;
        return total > static_cast<Units>(longest_) * per_nanosecond || due > most ||
               (due == most && total % loop_.per_tick() > 0);
    }

    // Runs every n-th of the ticks that are due.
    void skip_ticks(FramePlan& plan) {
        if (options_.every == 1) {
            return;
        }
        const std::uint64_t due = skipped_ + plan.ticks;
        plan.ticks = due / options_.every;
        skipped_ = due % options_.every;
        plan.alpha = of_every(plan.alpha);
    }

    [[nodiscard]] double of_every(double alpha) const {
        return options_.every == 1 ? alpha
                                   : below_one((static_cast<double>(skipped_) + alpha) /
                                               static_cast<double>(options_.every));
    }

    AccumulatorLoop loop_;
    LoopOptions options_;
    std::int64_t longest_;
    std::uint64_t most_;
    std::optional<ScaledTime> ramp_;
    std::uint64_t skipped_ = 0;  // due, but not an n-th one
    std::int64_t owed_ = 0;      // Debt::kept
    std::int64_t behind_ = 0;    // NegativeTime::repaid
};

}  // namespace

EngineResult make_policy_loop(TickRate rate, const LoopOptions& options) {
    LoopOptions chosen = options;
    if (options.kind == LoopKind::canonical) {
        chosen.debt = Debt::reset;
    }
    if (options.kind == LoopKind::clock) {
        chosen.longest_frame.reset();
    }
    LoopOptions inner = chosen;
    if (options.ramp) {
        inner.time_scale = {1, 1};  // it is fed scaled time
    }
    return make_unlimited(rate, inner).map([&](const AccumulatorLoop& loop) {
        return std::unique_ptr<Loop::Engine>(std::make_unique<PolicyLoop>(rate, chosen, loop));
    });
}

}  // namespace isotick::core
