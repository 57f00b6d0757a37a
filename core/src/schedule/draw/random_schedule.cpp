#include "../parameters.hpp"

#include <isotick/core/detail/schedule/random_schedule.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
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

/// Where a reversible loop cuts frames, unless it is told otherwise.
std::int64_t longest_frame(std::int64_t tick) {
    return std::max<std::int64_t>(tick, 250'000'000);
}

/// How far the frames of an item go on in such a loop.
std::int64_t way_of(const ScheduleItem& item, TickRate session_rate) {
    const std::int64_t longest = longest_frame(tick_length(session_rate));
    FrameSource frames = Schedule::from_items({item})->frames(session_rate);
    std::int64_t way = 0;
    for (std::uint64_t i = 0; i < item.count; ++i) {
        way += std::min(frames.next().nanoseconds, longest);
    }
    return way;
}

/// Frames that go on, then frames that go back `depth` ticks, or as far as leaves a third of the
/// way: for a loop that goes back in time and cuts frames at a quarter of a second.
std::vector<ScheduleItem> draw_rollback(Pcg32& random, std::uint32_t depth, TickRate session_rate) {
    const TickRate session = clamp_generator_rate(session_rate);
    const std::int64_t tick = tick_length(session);
    const std::int64_t ticks = random.between(2 * std::int64_t{depth}, 4 * std::int64_t{depth}) + 8;
    ScheduleItem forward = draw_item(random, draw_kind(random, &Weights::forward), session);
    const std::int64_t frame = std::min(tick_length(*forward.rate), longest_frame(tick));
    forward.count = static_cast<std::uint64_t>(std::max<std::int64_t>(ticks * tick / frame, 1));
    std::int64_t way = way_of(forward, session);
    if (way < ticks * tick / 2) {  // a few short frames of a kind that has long ones too
        forward = {.kind = FrameKind::steady, .count = static_cast<std::uint64_t>(ticks)};
        way = way_of(forward, session);
    }
    const std::int64_t back = std::min(depth * tick + tick / 2, way / 3 * 2);
    const std::int64_t frames = (back - 1) / longest_frame(tick) + 1;
    const FrameTime each = Draw{random, tick}.duration(back / frames, back / frames);
    const ScheduleItem backward{.count = static_cast<std::uint64_t>(frames),
                                .duration = {-each.nanoseconds}};
    return {forward, backward};
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
