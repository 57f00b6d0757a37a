#include "frame_driver.hpp"

#include <optional>
#include <vector>

namespace isotick::harness {
namespace {

// The same schedule with its first item, of `count` nominal frames, as a single frame of that
// length: how much time has passed is all that the items behind it can know.
std::optional<core::Schedule> in_one_frame(const core::Schedule& schedule, std::uint64_t count,
                                           core::TickRate rate) {
    const core::Schedule nominal = core::Schedule::nominal();
    core::ScheduleItem first = nominal.items().front();
    first.count = count;
    const auto items = schedule.items();
    if (items.front() != first || schedule.may_end()) {
        return std::nullopt;
    }
    std::vector<core::ScheduleItem> shorter(items.begin(), items.end());
    shorter.front() = {.duration = core::FrameTime{rate.time_of(count)}};
    const auto made = core::Schedule::from_items(shorter);
    return made ? std::optional(*made) : std::nullopt;
}

}  // namespace

core::FrameSource frames_behind(const core::Schedule& schedule, std::uint64_t count,
                                core::TickRate rate) {
    const auto shorter = in_one_frame(schedule, count, rate);
    core::FrameSource frames = shorter.value_or(schedule).frames(rate);
    for (std::uint64_t frame = 0; frame < (shorter ? 1 : count); ++frame) {
        [[maybe_unused]] const core::FrameTime skipped = frames.next();
    }
    return frames;
}

}  // namespace isotick::harness
