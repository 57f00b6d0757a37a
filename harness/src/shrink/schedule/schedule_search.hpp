#pragma once
// The best schedule so far, and the passes that better it.

#include "../search/best_search.hpp"
#include "shrink_schedule.hpp"

#include <utility>

namespace isotick::harness {

class OriginalFrames;

/// Its best are frames.
class ScheduleSearch : public BestSearch<FrameRuns, ScheduleCandidate> {
  public:
    ScheduleSearch(const ScheduleRunner& run, const ShrinkLoop& loop, const ShrinkLimits& limits,
                   FrameRuns runs, core::Tick until)
        : BestSearch(run, limits, std::move(runs), until), loop_(loop) {}

    [[nodiscard]] const ShrinkLoop& loop() const { return loop_; }

    enum class End {
        as_it_is,  ///< the candidate ends where its frames do
        padded,    ///< nominal frames follow up to the tick, if it needs them
    };

    /// Whether the candidate fails; then it is the best.
    bool fails(const FrameRuns& runs, std::vector<std::uint64_t> checkpoints, End end);

  private:
    const ShrinkLoop& loop_;
};

/// Makes frames nominal as long as the rest still fails. Needs a search whose best are all frames.
void drop_frames(const OriginalFrames& original, ScheduleSearch& search);

/// Replaces stretches of at least four unequal frames by as many equal ones that last as long.
void level_frames(ScheduleSearch& search);

/// Lowers the count of each run but the last nominal one: of those with a frame time of their own,
/// then of nominal ones.
void lower_counts(ScheduleSearch& search);

/// Makes frame times round: 0, whole milliseconds, whole ticks; the nearer the nominal one the
/// better. At most eight trials for a run.
void round_times(ScheduleSearch& search);

}  // namespace isotick::harness
