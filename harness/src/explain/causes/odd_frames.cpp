#include "odd_frames.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/replay/reader.hpp>

#include <cstddef>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostGroups = 3;

// As rates that are no whole number of nanoseconds have it.
bool nearly_equal(core::FrameTime a, core::FrameTime b) {
    return a == b ||
           (a < b ? b.nanoseconds - 1 == a.nanoseconds : a.nanoseconds - 1 == b.nanoseconds);
}

bool goes_on(const OddFrames& group, std::uint64_t frame, core::FrameTime time) {
    return group.first + group.count == frame && nearly_equal(group.frame_time, time);
}

}  // namespace

bool is_nominal_time(core::FrameTime time, core::TickRate rate) {
    const std::int64_t tick = rate.time_of(1);
    return time.nanoseconds == tick || time.nanoseconds == tick + 1;
}

std::optional<std::vector<OddFrames>> provoking_frames(const TrialPlan& plan, std::uint64_t last) {
    const auto reader = replay::Reader::open(plan.recording);
    if (!reader) {
        return std::nullopt;
    }
    const core::TickRate rate = reader->head().session.rate;
    auto loop = core::Loop::make(rate, plan.drive.loop);
    if (!loop) {
        return std::nullopt;
    }
    core::FrameSource frames = plan.drive.schedule.frames(rate);
    std::vector<OddFrames> odd;
    for (std::uint64_t frame = 0; frame <= last; ++frame) {
        const core::FrameTime time = frames.next();
        const core::HostFrame host = loop->advance(time);
        if (is_nominal_time(time, rate)) {
            continue;
        }
        if (odd.empty() || !goes_on(odd.back(), frame, time)) {
            if (odd.size() == kMostGroups) {
                return std::nullopt;
            }
            odd.push_back({frame, 0, time});
        }
        ++odd.back().count;
        odd.back().ticks += host.plan.ticks;
        odd.back().back += host.back;
    }
    return odd;
}

}  // namespace isotick::harness
