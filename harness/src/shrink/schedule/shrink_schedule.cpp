#include "shrink_schedule.hpp"

#include "original_frames.hpp"
#include "schedule_search.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::harness {

core::Result<ShrunkSchedule> shrink_schedule(const ScheduleToShrink& original,
                                             const ScheduleRunner& run,
                                             const ShrinkLimits& limits) {
    ISOTICK_TRY_ASSIGN(const auto frames,
                       OriginalFrames::make(original.frames, original.diverged_at, original.loop));
    const KeptFrames all(frames.size(), true);
    ScheduleSearch search(run, original.loop, limits, frames.place(all, original.diverged_at).runs,
                          original.diverged_at);
    drop_frames(frames, search);
    const bool matters = search.best().size() > 1 || search.best().front().time;
    if (matters) {
        level_frames(search);
        round_times(search);
        lower_counts(search);
    }
    return schedule_of(search.best()).map([&](core::Schedule&& schedule) {
        return ShrunkSchedule{search.best(), search.until(), std::move(schedule), search.effort()};
    });
}

}  // namespace isotick::harness
