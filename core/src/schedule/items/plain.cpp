// The items without a name: `16.667ms`, one frame time again and again, and `60hz` or `nominal`,
// steady frames.

#include "../parameters.hpp"

#include <array>

namespace isotick::core {
namespace {

constexpr std::array kTime{limited(duration_parameter("time"), nullptr)};
constexpr std::array kSteadyRate{limited(kRate, nullptr)};

}  // namespace

constinit const ItemKind kFrameItem{
    .name = "",
    .parameters = kTime,
    .frames =
        [](const ScheduleItem& item, const FramesStart&) {
            return frames_of([time = item.duration.nanoseconds] { return time; });
        },
    .weights = {.alone = 0},
    .must_end = true,
    .is_count_implied = [](const ScheduleItem& item) { return item.count == 1; }};

constinit const ItemKind kSteadyItem{
    .name = "",
    .parameters = kSteadyRate,
    .frames =
        [](const ScheduleItem& item, const FramesStart& start) {
            TickClock clock(item.rate.value_or(start.session_rate));
            return frames_of([clock]() mutable { return clock.next(); });
        },
    .weights = {.forward = 1},
    .rate_factor = 40};

}  // namespace isotick::core
