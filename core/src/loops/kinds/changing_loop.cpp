// Steps of changing length: `while (held >= least) step(min(held, most))`. A variable timestep has
// no `most` and almost no `least`, a semi-fixed one a `most`, a ranged one both. All of it in
// integers, so that the steps of a frame are the frame, exactly.

#include "../engine.hpp"
#include "../limits.hpp"

#include <algorithm>
#include <numeric>

namespace isotick::core {
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

}  // namespace isotick::core
