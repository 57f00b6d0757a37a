// `stuck(60hz, 12.5%, seed=2)`: zero while the clock stands still; the first frame after it carries
// the time that was missed.

#include "../parameters.hpp"

#include <array>
#include <utility>

namespace isotick::core {
namespace {

constexpr std::array kStuckParameters{kRate, share_parameter("share"), kSeed};
constexpr int kLongestRun = 100;  // so that even a share of 100% makes progress

Frames stuck_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      share = item.per_mille, run = 0,
                      missed = std::int64_t{0}]() mutable -> std::int64_t {
        missed += clock.next();
        if (random.chance(share, 1000) && run < kLongestRun) {
            ++run;
            return 0;
        }
        run = 0;
        return std::exchange(missed, 0);
    });
}

void draw_stuck(Draw& draw, ScheduleItem& item) {
    item.per_mille = draw.share(5, 60);
}

}  // namespace

constinit const ItemKind kStuckItem{
    .name = "stuck", .parameters = kStuckParameters, .frames = stuck_frames, .draw = draw_stuck};

}  // namespace isotick::core
