// `jitter(60hz, 3ms, seed=7)`: each frame is off by its own amount, but never below zero.

#include "../parameters.hpp"

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

constexpr std::array kJitterParameters{kRate, duration_parameter("spread"), kSeed};

Frames jitter_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      spread = item.duration.nanoseconds]() mutable {
        const std::int64_t frame = clock.next() + random.between(-spread, spread);
        return std::max<std::int64_t>(frame, 0);
    });
}

void draw_jitter(Draw& draw, ScheduleItem& item) {
    const std::int64_t frame = tick_length(*item.rate);
    item.duration = draw.duration(frame / 50, frame + frame / 5);
}

}  // namespace

constinit const ItemKind kJitterItem{.name = "jitter",
                                     .parameters = kJitterParameters,
                                     .frames = jitter_frames,
                                     .weights = {.forward = 1},
                                     .draw = draw_jitter};

}  // namespace isotick::core
