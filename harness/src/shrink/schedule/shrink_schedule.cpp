#include "shrink_schedule.hpp"

#include "needed_frames.hpp"
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
    ShrinkTrials trials(limits);
    ScheduleSearch search(run, original.loop, trials, frames.place(all, original.diverged_at).runs,
                          original.diverged_at);
    NeededFrames(frames, search).find();
    const bool matters = search.best().size() > 1 || search.best().front().time;
    if (matters) {
        level_frames(search);
        round_times(search);
        lower_counts(search);
    }
    return schedule_of(search.best()).map([&](core::Schedule&& schedule) {
        return ShrunkSchedule{search.best(), search.until(), std::move(schedule), trials.effort()};
    });
}

}  // namespace isotick::harness
