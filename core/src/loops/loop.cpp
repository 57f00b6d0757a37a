#include "engine.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loop.hpp>

#include <algorithm>
#include <limits>

namespace isotick::core {
namespace {

using Units = AccumulatorLoop::Units;

constexpr std::uint64_t kLargestTerm = TickRate::kLargestTerm;
constexpr Units kMost = std::numeric_limits<std::int64_t>::max();

// Units per tick and per nanosecond of frame time: frame time × scale × rate ticks, over the
// common denominator.
Units units_per_tick(TickRate rate, Fraction scale) {
    return Units{rate.denominator()} * Units{kNanosecondsPerSecond} * scale.denominator;
}
std::uint64_t units_per_nanosecond(TickRate rate, Fraction scale) {
    return rate.numerator() * scale.numerator;
}

Result<void> check_terms(Fraction fraction, const std::string& name) {
    if (fraction.denominator == 0) {
        return fail(ErrorCode::usage, "the " + name + " needs a denominator above zero");
    }
    if (fraction.numerator > kLargestTerm || fraction.denominator > kLargestTerm) {
        return fail(ErrorCode::limit, "the " + name + "'s terms must not exceed 1000000000");
    }
    return {};
}

// Whether these options are none but AccumulatorLoop's.
bool is_plain(const LoopOptions& options) {
    return options == LoopOptions{.longest_frame = options.longest_frame,
                                  .most_ticks = options.most_ticks,
                                  .time_scale = options.time_scale,
                                  .start_phase = options.start_phase};
}

Result<void> check(TickRate rate, const LoopOptions& options) {
    if (!is_plain(options)) {
        return fail(ErrorCode::usage,
                    "an AccumulatorLoop has no other options than longest frame, most ticks, time "
                    "scale and start phase; make a Loop");
    }
    if (options.longest_frame && options.longest_frame->nanoseconds <= 0) {
        return fail(ErrorCode::usage, "the longest frame must be above zero");
    }
    if (options.most_ticks && *options.most_ticks == 0) {
        return fail(ErrorCode::usage, "the most ticks per frame must be above zero");
    }
    ISOTICK_TRY(check_terms(options.time_scale, "time scale"));
    ISOTICK_TRY(check_terms(options.start_phase, "start phase"));
    if (options.start_phase.numerator > options.start_phase.denominator) {
        return fail(ErrorCode::usage, "the start phase must be from 0 to 1");
    }
    if (units_per_nanosecond(rate, options.time_scale) > units_per_tick(rate, options.time_scale)) {
        return fail(ErrorCode::limit,
                    "at this rate and time scale a tick would be shorter than a nanosecond");
    }
    return {};
}

// The longest frame that, added to what is held before it (less than two ticks), fits 63 bits.
std::int64_t longest_narrow_frame(Units per_tick, std::uint64_t per_nanosecond) {
    if (per_tick > kMost / 2) {
        return -1;
    }
    const Units room = kMost - 2 * per_tick;
    return static_cast<std::int64_t>(room / std::max<std::uint64_t>(per_nanosecond, 1));
}

}  // namespace

// Why 128 bits suffice, with every term at most 10^9: a nanosecond is worth at most 10^18 < 2^60
// units, a tick 10^27 < 2^90, so a frame adds less than 2^63 × 2^60 = 2^123 to less than two
// ticks. The start phase's product is at most 10^27 × 10^9 < 2^120. And why tick counts fit 64
// bits: a tick is no shorter than a nanosecond (checked), so a frame holds at most 2^63 + 1.
Result<AccumulatorLoop> AccumulatorLoop::make(TickRate rate, const LoopOptions& options) {
    ISOTICK_TRY(check(rate, options));
    return AccumulatorLoop(rate, options);
}

// Tick k is due at floor(x) nanoseconds of frame time, where x = (k - phase) * tick / nanosecond,
// the latter two in units. For a whole number n of nanoseconds, n >= floor(x) is n > x - 1, that is
// n * nanosecond + nanosecond + phase * tick > k * tick. All terms but phase * tick are whole, so
// this is n * nanosecond + (nanosecond - 1) + ceil(phase * tick) >= k * tick: the start below loses
// nothing although a unit need not divide the phase.
AccumulatorLoop::AccumulatorLoop(TickRate rate, const LoopOptions& options)
    : per_tick_(units_per_tick(rate, options.time_scale)),
      per_nanosecond_(units_per_nanosecond(rate, options.time_scale)),
      head_start_(per_nanosecond_ == 0 ? 0 : per_nanosecond_ - 1),
      longest_frame_(effective_longest_frame(rate, options)),
      most_ticks_(options.most_ticks.value_or(kNoLimit)) {
    while ((per_tick_ >> alpha_shift_) > kMost) {
        ++alpha_shift_;
    }
    alpha_divisor_ = static_cast<double>(static_cast<std::int64_t>(per_tick_ >> alpha_shift_));
    const Fraction phase = options.start_phase;
    start_ =
        head_start_ + (per_tick_ * phase.numerator + phase.denominator - 1) / phase.denominator;
    held_ = start_;
    longest_narrow_frame_ = longest_narrow_frame(per_tick_, per_nanosecond_);
}

[[gnu::always_inline]] inline FramePlan AccumulatorLoop::advance_inline(FrameTime frame_time) {
    const std::int64_t asked = std::max<std::int64_t>(frame_time.nanoseconds, 0);
    const std::int64_t fed = std::min(asked, longest_frame_);
    const FrameTime cut{asked - fed};
    if (fed > longest_narrow_frame_) [[unlikely]] {
        return accumulate_wide(static_cast<std::uint64_t>(fed), cut);
    }
    return accumulate<std::uint64_t>(static_cast<std::uint64_t>(fed), cut);
}

FramePlan AccumulatorLoop::advance(FrameTime frame_time) {
    return advance_inline(frame_time);
}

// Here and not in loops.cpp, for advance_inline.
HostFrame Loop::advance(FrameTime frame_time) {
    if (engine_ != nullptr) {
        return engine_->advance(frame_time);
    }
    return {.plan = plain_.advance_inline(frame_time)};
}

// A function of its own so that the common path need not save the registers this one uses.
[[gnu::noinline]] FramePlan AccumulatorLoop::accumulate_wide(std::uint64_t fed, FrameTime cut) {
    return accumulate<Units>(fed, cut);
}

// Dividing costs far more than the few subtractions of an ordinary frame.
template <class Sum>
[[gnu::always_inline]] inline FramePlan AccumulatorLoop::accumulate(std::uint64_t fed,
                                                                    FrameTime cut) {
    constexpr std::uint64_t kFewTicks = 8;
    const Sum per_tick = static_cast<Sum>(per_tick_);
    Sum held = static_cast<Sum>(held_) + Sum{fed} * per_nanosecond_;
    std::uint64_t due = 0;
    while (held >= per_tick && due < kFewTicks) {
        held -= per_tick;
        ++due;
    }
    if (held >= per_tick) {
        due += static_cast<std::uint64_t>(held / per_tick);
        held %= per_tick;
    }
    held_ = held;
    const std::uint64_t ticks = std::min(due, most_ticks_);
    return {ticks, due - ticks, alpha(held), cut};
}

double AccumulatorLoop::alpha_after(FrameTime later) const {
    const Units then = held_ + static_cast<Units>(not_negative(later)) * per_nanosecond_;
    return alpha<Units>(std::min(then, head_start_ + per_tick_));
}

FrameTime AccumulatorLoop::until_tick(Units count) const {
    const Units most = held_ + kMost * per_nanosecond_;
    if (per_nanosecond_ == 0 || count > most / per_tick_) {
        return {kMostNanoseconds};
    }
    const Units due = count * per_tick_;
    return {due <= held_
                ? 0
                : static_cast<std::int64_t>((due - held_ + per_nanosecond_ - 1) / per_nanosecond_)};
}

// A tick of 2^63 units or more is cut to its upper 63 bits, more than a double holds. The
// quotient of the rounded terms is at most 1, and would then show a tick not yet taken.
template <class Sum>
double AccumulatorLoop::alpha(Sum held) const {
    const Sum passed = held > head_start_ ? held - head_start_ : 0;
    const auto high_bits = static_cast<std::int64_t>(passed >> alpha_shift_);
    return std::min(static_cast<double>(high_bits) / alpha_divisor_, kJustBelowOne);
}

}  // namespace isotick::core
