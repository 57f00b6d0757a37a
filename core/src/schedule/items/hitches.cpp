// `hitches(60hz, 2s, every=200, seed=5)`: a picked frame is longer by a tenth to the whole of the
// longest hitch.

#include "../draw/one_in_every.hpp"
#include "../parameters.hpp"

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

constexpr std::array kHitchesParameters{
    kRate, duration_parameter<&ScheduleItem::duration, true>("longest"), kEvery, kSeed};

Frames hitches_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      hitches = OneInEvery(item.every),
                      longest = item.duration.nanoseconds]() mutable {
        std::int64_t frame = clock.next();
        if (hitches.next(random)) {
            frame += random.between(std::max<std::int64_t>(longest / 10, 1), longest);
        }
        return frame;
    });
}

void draw_hitches(Draw& draw, ScheduleItem& item) {
    item.duration = draw.duration(2 * draw.tick, 1200 * draw.tick);
    item.every = draw.number(10, 600);
}

}  // namespace

constinit const ItemKind kHitchesItem{.name = "hitches",
                                      .parameters = kHitchesParameters,
                                      .frames = hitches_frames,
                                      .draw = draw_hitches};

}  // namespace isotick::core
