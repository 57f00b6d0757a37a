// `quantised(60hz, 15.625ms)`: differences of readings rounded down to the clock's unit, as
// SDL_GetTicks gives them.

#include "../parameters.hpp"

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

constexpr std::array kQuantisedParameters{
    kRate, optional(limited(duration_parameter("clock"), [](const ScheduleItem& item) {
        const std::int64_t unit = item.duration.nanoseconds;
        return unless(unit >= 1 && unit <= kCoarsestClock, "a clock of 1ns to 1s");
    }))};
constexpr std::array kClocks{1'000'000, 1'000'000, 10'000'000, 15'625'000, 100'000};

Frames quantised_frames(const ScheduleItem& item, const FramesStart& start) {
    // `rest` is the time since the last reading that it did not show.
    return frames_of([clock = clock_of(item, start), unit = item.duration.nanoseconds,
                      rest = std::int64_t{0}]() mutable {
        const std::int64_t passed = rest + clock.next();
        rest = passed % unit;
        return passed - rest;
    });
}

void draw_quantised(Draw& draw, ScheduleItem& item) {
    const std::int64_t clock = kClocks[draw.random.below(kClocks.size())];
    item.duration = {clock <= 4 * draw.tick ? clock : std::max<std::int64_t>(draw.tick / 4, 1)};
}

}  // namespace

constinit const ItemKind kQuantisedItem{.name = "quantised",
                                        .parameters = kQuantisedParameters,
                                        .frames = quantised_frames,
                                        .weights = {.forward = 1},
                                        .draw = draw_quantised,
                                        // Most clocks of SDL_GetTicks' age count milliseconds.
                                        .usual_duration = {1'000'000}};

}  // namespace isotick::core
