// `backwards(60hz, 5%, 3ms, seed=6)`: sometimes a frame time from -most to -1 ns stands in for a
// steady frame.

#include "../parameters.hpp"

#include <array>

namespace isotick::core {
namespace {

constexpr std::array kBackwardsParameters{kRate, share_parameter("share"),
                                          duration_parameter<&ScheduleItem::duration, true>("most"),
                                          kSeed};

Frames backwards_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      share = item.per_mille, most = item.duration.nanoseconds]() mutable {
        return random.chance(share, 1000) ? -random.between(1, most) : clock.next();
    });
}

void draw_backwards(Draw& draw, ScheduleItem& item) {
    const std::int64_t frame = tick_length(*item.rate);
    item.per_mille = draw.share(1, 30);
    item.duration = draw.duration(frame / 10, frame);
}

}  // namespace

constinit const ItemKind kBackwardsItem{.name = "backwards",
                                        .parameters = kBackwardsParameters,
                                        .frames = backwards_frames,
                                        .draw = draw_backwards};

}  // namespace isotick::core
