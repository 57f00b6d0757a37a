#pragma once
// The schedules of the trials of `verify`.

#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::core {

/// Draws one endless schedule from the whole family: a kind, then parameters of a size that suits
/// a session of `session_rate`; its text spells out every one of them.
///
/// Every such schedule makes time progress: at least one tick of the session in 20,000 frames,
/// and at most about 50 frames per tick. Depends on nothing but the two arguments.
[[nodiscard]] Schedule random_schedule(std::uint64_t seed, TickRate session_rate);

/// The same for a loop that goes back in time (LoopKind::reversible): frames that go on, then
/// frames that go back, again and again. The first go back 8 to 15 ticks, after three to five times
/// as many or a few more; later ones 1 to 60. A schedule that ends and so repeats, frame for frame.
///
/// Makes progress where frames are cut at a quarter of a second, or a tick where that is longer: a
/// pass goes back at most two thirds of the way that it goes on.
[[nodiscard]] Schedule random_reversing_schedule(std::uint64_t seed, TickRate session_rate);

}  // namespace isotick::core
