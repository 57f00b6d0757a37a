#pragma once
// The parameters of schedule items: how they are read, checked, printed and drawn.

#include "item_kind.hpp"

#include <isotick/core/detail/schedule_item.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::core {

// Floored multiples of a tick, one after the other, without a division each.

/// Gives the differences rate.time_of(k + 1) - rate.time_of(k) for k = 0, 1, 2, … for ever,
/// exactly and without the saturation of time_of.
class TickClock {
  public:
    explicit TickClock(TickRate rate)
        : numerator_(rate.numerator()),
          whole_(length(rate) / numerator_),
          remainder_(length(rate) % numerator_) {}

    /// The nanoseconds from this multiple to the next one.
    std::int64_t next() {
        carry_ += remainder_;
        std::uint64_t step = whole_;
        if (carry_ >= numerator_) {
            carry_ -= numerator_;
            ++step;
        }
        return static_cast<std::int64_t>(step);
    }

    /// Moves to the last multiple k with time_of(k) <= `elapsed`, and returns how much later than
    /// it `elapsed` is, nanoseconds. `elapsed` must not exceed the largest int64.
    std::int64_t seek(std::uint64_t elapsed) {
        const Wide product = whole_ * Wide{numerator_} + remainder_;  // one tick, in 1/numerator ns
        const Wide multiple = ((Wide{elapsed} + 1) * numerator_ - 1) / product * product;
        carry_ = static_cast<std::uint64_t>(multiple % numerator_);
        return static_cast<std::int64_t>(elapsed -
                                         static_cast<std::uint64_t>(multiple / numerator_));
    }

  private:
    __extension__ using Wide = unsigned __int128;

    static std::uint64_t length(TickRate rate) {
        return std::uint64_t{rate.denominator()} * kNanosecondsPerSecond;
    }

    std::uint64_t numerator_;
    std::uint64_t whole_;
    std::uint64_t remainder_;
    std::uint64_t carry_ = 0;
};

// Drawing schedule items at random: the parameters behind random_schedule and `mix`.

/// Draws parameters that suit a session.
struct Draw {
    Pcg32& random;
    std::int64_t tick;  ///< the length of the session's, nanoseconds

    std::uint32_t number(std::int64_t low, std::int64_t high);
    /// Whole percents, in per mille.
    std::uint16_t share(std::int64_t low_percent, std::int64_t high_percent);
    /// `low` to `high` nanoseconds cut to three decimal digits, for a text that people can read.
    FrameTime duration(std::int64_t low, std::int64_t high);
};

/// The length of one tick in nanoseconds, at least 1.
[[nodiscard]] std::int64_t tick_length(TickRate rate);

/// A kind, as likely as its weight.
[[nodiscard]] FrameKind draw_kind(Pcg32& random, std::uint32_t Weights::*weight);

/// An endless item of `kind`, which must not be `frame`, with every parameter drawn to suit a
/// session of `session_rate` (random_schedule.hpp says what that promises).
[[nodiscard]] ScheduleItem draw_item(Pcg32& random, FrameKind kind, TickRate session_rate);

/// The next block of a mix: an item of 1 to 240 frames.
[[nodiscard]] ScheduleItem draw_block(Pcg32& random, TickRate session_rate);

// The parameters that many kinds of schedule items have.

/// `parameter` without limits.
[[nodiscard]] constexpr Parameter unlimited(Parameter parameter) {
    parameter.problem = nullptr;
    return parameter;
}

[[nodiscard]] constexpr Parameter named(Parameter parameter) {
    parameter.is_named = true;
    return parameter;
}

/// `parameter`, left out where `is_usual`; null: only when written.
[[nodiscard]] constexpr Parameter optional(Parameter parameter,
                                           bool (*is_usual)(const ScheduleItem&) = nullptr) {
    parameter.is_optional = true;
    parameter.is_usual = is_usual;
    return parameter;
}

[[nodiscard]] Result<void> read_rate_or_nominal(TextCursor& cursor, ScheduleItem& item);
[[nodiscard]] std::string rate_text(const ScheduleItem& item);
[[nodiscard]] Problem rate_problem(const ScheduleItem& item);

/// `60hz`, `nominal`
inline constexpr Parameter kRate{
    {"rate", read_rate_or_nominal, rate_text, copy_member<&ScheduleItem::rate>, rate_problem}};

/// `200`
inline constexpr Limits<std::uint64_t> kEveryLimits{1, kMostEvery, "a number from 1 to 1000000000",
                                                    "a number of frames"};
inline constexpr Parameter kEvery =
    named({number_word<&ScheduleItem::every, kEveryLimits>("every")});

/// `7`
inline constexpr Limits<std::uint64_t> kSeeds{0, UINT64_MAX, "a seed", "a seed"};
inline constexpr Parameter kSeed =
    optional(named({number_word<&ScheduleItem::seed, kSeeds>("seed")}));

/// `12.5%`
inline constexpr Limits<std::uint32_t> kShares{0, 1000, "at most 100%"};
[[nodiscard]] constexpr Parameter share_parameter(std::string_view name) {
    return {share_word<&ScheduleItem::per_mille, kShares>(name)};
}

/// `3ms`
inline constexpr Limits<FrameTime> kDurations{
    {0}, {kLongestDuration}, "a duration from 0ms to 3600s"};
inline constexpr Limits<FrameTime> kPositiveDurations{
    {1}, {kLongestDuration}, "a duration from 1ns to 3600s"};
template <auto Member = &ScheduleItem::duration, const auto& limits = kDurations>
[[nodiscard]] constexpr Parameter duration_parameter(std::string_view name) {
    return {duration_word<Member, limits>(name)};
}

/// `rate`, or the nearest a generator can take.
[[nodiscard]] TickRate clamp_generator_rate(TickRate rate);

/// The rate of an item's steady frames.
[[nodiscard]] inline TickRate generator_rate(const ScheduleItem& item, const FramesStart& start) {
    return clamp_generator_rate(item.rate.value_or(start.session_rate));
}

[[nodiscard]] inline TickClock clock_of(const ScheduleItem& item, const FramesStart& start) {
    return TickClock(generator_rate(item, start));
}

}  // namespace isotick::core
