// `edges(nominal, seed=9)`: every frame ends 1 ns before, at or 1 ns after a floored multiple of
// the tick. One multiple in four is crept across in 1 ns frames; one in eight is leapt over.

#include "../parameters.hpp"

#include <array>
#include <utility>

namespace isotick::core {
namespace {

constexpr std::array kEdgesParameters{kRate, kSeed};

Frames edges_frames(const ScheduleItem& item, const FramesStart& start) {
    TickClock clock(generator_rate(item, start));
    // `offset` is where the last frame ended, from the multiple before.
    const std::int64_t first_offset = clock.seek(start.elapsed);
    return frames_of([random = Pcg32(item.seed), clock, offset = first_offset,
                      is_creeping = false]() mutable -> std::int64_t {
        if (is_creeping && offset < 1) {
            ++offset;
            return 1;
        }
        std::int64_t distance = clock.next();
        if (random.chance(1, 8)) {
            distance += clock.next();
        }
        const std::uint32_t drawn = random.below(4);
        is_creeping = drawn == 3;
        const std::int64_t next = is_creeping ? -1 : std::int64_t{drawn} - 1;
        return distance - std::exchange(offset, next) + next;
    });
}

}  // namespace

constinit const ItemKind kEdgesItem{
    .name = "edges",
    .parameters = kEdgesParameters,
    .frames = edges_frames,
    .rate_factor = 0};  // the edges that matter are those of the session's own ticks

}  // namespace isotick::core
