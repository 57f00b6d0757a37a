#include "draw_item.hpp"

#include <isotick/core/random.hpp>
#include <isotick/core/random_schedule.hpp>

namespace isotick::core {

Schedule random_schedule(std::uint64_t seed, TickRate session_rate) {
    Pcg32 random(seed);
    // Every kind but the first, the plain frame time.
    const auto kind =
        static_cast<FrameKind>(1 + random.below(static_cast<std::uint32_t>(FrameKind::mix)));
    return *Schedule::from_items({draw_item(random, kind, session_rate)});
}

}  // namespace isotick::core
