// `bimodal(4ms, 30ms, 25%, seed=3)`: usual frames and a share of rare ones.

#include "../parameters.hpp"

#include <array>

namespace isotick::core {
namespace {

constexpr std::array kBimodalParameters{duration_parameter("usual"),
                                        duration_parameter<&ScheduleItem::other_duration>("rare"),
                                        share_parameter("share"), kSeed};

Frames bimodal_frames(const ScheduleItem& item, const FramesStart&) {
    return frames_of([random = Pcg32(item.seed), usual = item.duration.nanoseconds,
                      rare = item.other_duration.nanoseconds, share = item.per_mille]() mutable {
        return random.chance(share, 1000) ? rare : usual;
    });
}

void draw_bimodal(Draw& draw, ScheduleItem& item) {
    item.duration = draw.duration(draw.tick / 8, draw.tick);
    item.other_duration = draw.duration(draw.tick, 8 * draw.tick);
    item.per_mille = draw.share(1, 50);
}

}  // namespace

constinit const ItemKind kBimodalItem{.name = "bimodal",
                                      .parameters = kBimodalParameters,
                                      .frames = bimodal_frames,
                                      .draw = draw_bimodal};

}  // namespace isotick::core
