#include "frame_runs.hpp"

#include "nominal_clock.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <utility>

namespace isotick::harness {

void append(FrameRuns& runs, const FrameRun& run) {
    if (run.count == 0) {
        return;
    }
    if (!runs.empty() && runs.back().time == run.time) {
        runs.back().count += run.count;
    } else {
        runs.push_back(run);
    }
}

void remove_last(FrameRuns& runs) {
    if (--runs.back().count == 0) {
        runs.pop_back();
    }
}

std::uint64_t frames_of(const FrameRuns& runs) {
    std::uint64_t frames = 0;
    for (const FrameRun& run : runs) {
        frames += run.count;
    }
    return frames;
}

core::Result<core::Schedule> schedule_of(const FrameRuns& runs) {
    if (runs.size() == 1 && !runs.front().time) {
        return core::Schedule::nominal();
    }
    std::vector<core::ScheduleItem> items;
    for (const FrameRun& run : runs) {
        core::ScheduleItem item;
        item.kind = run.time ? core::FrameKind::frame : core::FrameKind::steady;
        item.count = run.count;
        item.duration = run.time.value_or(core::FrameTime{});
        items.push_back(item);
    }
    return core::Schedule::from_items(items);
}

core::Digest digest_of(const FrameRuns& runs) {
    core::StreamDigester digester;
    for (const FrameRun& run : runs) {
        digester.update(run.time ? 1 : 0);
        digester.update(
            static_cast<std::uint64_t>(run.time.value_or(core::FrameTime{}).nanoseconds));
        digester.update(run.count);
    }
    return digester.value();
}

core::Result<FrameRuns> cut_after(const FrameRuns& runs, core::Tick until, const ShrinkLoop& loop,
                                  bool padded) {
    ISOTICK_TRY_ASSIGN(auto made, core::Loop::make(loop.rate, loop.options));
    FrameRuns cut;
    std::uint64_t ticks = 0;
    NominalClock clock(loop.rate);
    for (const FrameRun& run : runs) {
        clock.restart();
        for (std::uint64_t i = 0; i < run.count && ticks <= until.value; ++i) {
            append(cut, {run.time, 1});
            ticks += made.advance(run.time ? *run.time : clock.next()).plan.ticks;
        }
    }
    if (padded) {
        if (!cut.empty() && cut.back().time) {
            clock.restart();
        }
        const std::uint64_t most = clock.most_frames(until.value + 1);
        for (std::uint64_t i = 0; i < most && ticks <= until.value; ++i) {
            append(cut, {std::nullopt, 1});
            ticks += made.advance(clock.next()).plan.ticks;
        }
    }
    return cut;
}

}  // namespace isotick::harness
