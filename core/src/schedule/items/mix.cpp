// `mix(seed=11)`: blocks of 1 to 240 frames of other kinds, drawn one after the other.

#include "../parameters.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace isotick::core {
namespace {

constexpr std::array kMixParameters{kSeed};

Frames mix_frames(const ScheduleItem& item, const FramesStart& start) {
    return [random = Pcg32(item.seed), now = start, block = Frames(),
            left = std::uint64_t{0}](std::span<std::int64_t> times) mutable {
        while (!times.empty()) {
            if (left == 0) {
                const ScheduleItem drawn = draw_block(random, now.session_rate);
                block = kind_of(drawn).frames(drawn, now);
                left = drawn.count;
            }
            const auto some = times.first(std::min<std::size_t>(left, times.size()));
            block(some);
            now.pass(some);
            left -= some.size();
            times = times.subspan(some.size());
        }
    };
}

}  // namespace

constinit const ItemKind kMixItem{
    .name = "mix", .parameters = kMixParameters, .frames = mix_frames, .weights = {.block = 0}};

}  // namespace isotick::core
