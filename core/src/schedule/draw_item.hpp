#pragma once
// Drawing schedule items at random: the parameters behind random_schedule and `mix`.

#include <isotick/core/random.hpp>
#include <isotick/core/schedule_item.hpp>
#include <isotick/core/time.hpp>

namespace isotick::core {

/// An endless item of `kind`, which must not be `frame`, with every parameter drawn to suit a
/// session of `session_rate` (random_schedule.hpp says what that promises).
[[nodiscard]] ScheduleItem draw_item(Pcg32& random, FrameKind kind, TickRate session_rate);

/// The next block of a mix: an item of any kind but mix, of 1 to 240 frames.
[[nodiscard]] ScheduleItem draw_block(Pcg32& random, TickRate session_rate);

}  // namespace isotick::core
