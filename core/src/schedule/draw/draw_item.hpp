#pragma once
// Drawing schedule items at random: the parameters behind random_schedule and `mix`.

#include "../item_kind.hpp"

#include <isotick/core/detail/schedule/schedule_item.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::core {

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

}  // namespace isotick::core
