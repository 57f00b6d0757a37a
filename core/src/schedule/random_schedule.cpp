#include "draw_item.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/random.hpp>

#include <vector>

namespace isotick::core {
namespace {

/// How many ticks to go back: what rollback games do, less, or more.
std::uint32_t draw_depth(Pcg32& random) {
    switch (random.below(4)) {
        case 0:
            return 1 + random.below(7);
        case 1:
            return 16 + random.below(45);
        default:
            return 8 + random.below(8);
    }
}

}  // namespace

Schedule random_schedule(std::uint64_t seed, TickRate session_rate) {
    Pcg32 random(seed);
    const FrameKind kind = draw_kind(random, &Weights::alone);
    return *Schedule::from_items({draw_item(random, kind, session_rate)});
}

Schedule random_reversing_schedule(std::uint64_t seed, TickRate session_rate) {
    Pcg32 random(seed);
    std::vector<ScheduleItem> items;
    const std::uint32_t groups = 1 + random.below(3);
    for (std::uint32_t group = 0; group < groups; ++group) {
        const std::uint32_t depth = group == 0 ? 8 + random.below(8) : draw_depth(random);
        const auto rollback = draw_rollback(random, depth, session_rate);
        for (std::uint32_t left = 2 + random.below(11); left > 0; --left) {
            items.insert(items.end(), rollback.begin(), rollback.end());
        }
    }
    return *Schedule::from_items(items);
}

}  // namespace isotick::core
