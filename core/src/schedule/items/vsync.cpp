// `vsync(60hz, miss=10%, seed=4)`: whole refreshes, one or, of a missed frame, two, three or four,
// equally often.

#include "../parameters.hpp"

#include <array>

namespace isotick::core {
namespace {

constexpr std::array kVsyncParameters{kRate, named(share_parameter("miss")), kSeed};

Frames vsync_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      share = item.per_mille]() mutable {
        std::int64_t frame = clock.next();
        if (random.chance(share, 1000)) {
            for (std::uint32_t missed = 1 + random.below(3); missed > 0; --missed) {
                frame += clock.next();
            }
        }
        return frame;
    });
}

void draw_vsync(Draw& draw, ScheduleItem& item) {
    item.per_mille = draw.share(1, 50);
}

}  // namespace

constinit const ItemKind kVsyncItem{.name = "vsync",
                                    .parameters = kVsyncParameters,
                                    .frames = vsync_frames,
                                    .weights = {.forward = 1},
                                    .draw = draw_vsync};

}  // namespace isotick::core
