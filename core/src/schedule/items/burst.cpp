// `burst(60hz, 1000x1ns, every=300, seed=8)`: before a picked steady frame comes a whole run of
// tiny ones.

#include "../draw/one_in_every.hpp"
#include "../parameters.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

Result<void> read_burst(TextCursor& cursor, ScheduleItem& item) {
    ISOTICK_TRY(
        store(cursor.read_number("a burst such as 1000x1ns, its frames", 1, kMostBurstFrames),
              item.burst_frames));
    ISOTICK_TRY(cursor.expect('x'));
    return store(cursor.read_duration(), item.duration);
}

constexpr Parameter kBurst{
    "burst", read_burst,
    [](const ScheduleItem& item) {
        return std::to_string(item.burst_frames) + "x" + to_string(item.duration);
    },
    [](const ScheduleItem& from, ScheduleItem& to) {
        to.burst_frames = from.burst_frames;
        to.duration = from.duration;
    },
    [](const ScheduleItem& item) {
        return item.burst_frames >= 1 && item.burst_frames <= kMostBurstFrames
                   ? duration_problem(item.duration)
                   : Problem("a burst of 1 to 1000000 frames");
    }};
constexpr std::array kBurstParameters{kRate, kBurst, kEvery, kSeed};
constexpr std::array kTinyFrames{1, 1, 1, 100, 1000};

Frames burst_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      bursts = OneInEvery(item.every), tiny = item.duration.nanoseconds,
                      length = item.burst_frames, left = 0U, steady_is_due = false]() mutable {
        if (left == 0 && !steady_is_due && bursts.next(random)) {
            left = length;
            steady_is_due = true;
        }
        if (left > 0) {
            --left;
            return tiny;
        }
        steady_is_due = false;
        return clock.next();
    });
}

// With steady frames at most 4 times the tick rate: fewer than 4 × (1 + 10) frames a tick.
void draw_burst(Draw& draw, ScheduleItem& item) {
    item.every = draw.number(20, 600);
    item.burst_frames = draw.number(10, std::min(10 * item.every, 5000U));
    item.duration = {kTinyFrames[draw.random.below(kTinyFrames.size())]};
}

}  // namespace

constinit const ItemKind kBurstItem{.name = "burst",
                                    .parameters = kBurstParameters,
                                    .frames = burst_frames,
                                    .rate_factor = 4,
                                    .draw = draw_burst};

}  // namespace isotick::core
