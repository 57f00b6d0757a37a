#pragma once
// The schedule of one trial of `verify`.

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

}  // namespace isotick::core
