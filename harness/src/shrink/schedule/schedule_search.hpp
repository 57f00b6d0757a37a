#pragma once
// The best schedule so far, and the passes that better it.

#include "shrink_schedule.hpp"

#include <utility>

namespace isotick::harness {

/// Tries candidates and keeps the best, which is the last that failed.
class ScheduleSearch {
  public:
    ScheduleSearch(const ScheduleRunner& run, const ShrinkLoop& loop, ShrinkTrials& trials,
                   FrameRuns runs, core::Tick until)
        : run_(run), loop_(loop), trials_(trials), best_(std::move(runs)), until_(until) {}

    [[nodiscard]] bool over() const { return trials_.over(); }
    [[nodiscard]] const FrameRuns& best() const { return best_; }
    [[nodiscard]] core::Tick until() const { return until_; }
    [[nodiscard]] const ShrinkLoop& loop() const { return loop_; }

    enum class End {
        as_it_is,  ///< the candidate ends where its frames do
        padded,    ///< nominal frames follow up to the tick, if it needs them
    };

    /// Whether the candidate fails; then it is the best.
    bool fails(const FrameRuns& runs, std::vector<std::uint64_t> checkpoints, End end);

  private:
    const ScheduleRunner& run_;
    const ShrinkLoop& loop_;
    ShrinkTrials& trials_;
    FrameRuns best_;
    core::Tick until_;
};

/// Replaces stretches of at least four unequal frames by as many equal ones that last as long.
void level_frames(ScheduleSearch& search);

/// Lowers the count of each run but the last nominal one: of those with a frame time of their own,
/// then of nominal ones.
void lower_counts(ScheduleSearch& search);

/// Makes frame times round: 0, whole milliseconds, whole ticks; the nearer the nominal one the
/// better. At most eight trials for a run.
void round_times(ScheduleSearch& search);

}  // namespace isotick::harness
