#include "shrink_schedule.hpp"

#include "frame_runs.hpp"
#include "search.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace isotick::harness {

// The best schedule so far, and the passes that better it.

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

bool ScheduleSearch::fails(const FrameRuns& runs, std::vector<std::uint64_t> checkpoints, End end) {
    if (over()) {
        return false;
    }
    const auto cut = cut_after(runs, until_, loop_, end == End::padded);
    // No frames; that the loop cannot be made is ruled out by then.
    if (!cut || cut->empty() ||
        !BestSearch::fails({*cut, until_, std::move(checkpoints)}, digest_of(*cut), *cut)) {
        return false;
    }
    best_ = cut_after(*cut, until_, loop_, false).value_or(*cut);
    return true;
}

namespace {

void drop_range(KeptFrames& kept, std::uint64_t first, std::uint64_t end) {
    std::fill(kept.begin() + static_cast<std::ptrdiff_t>(first),
              kept.begin() + static_cast<std::ptrdiff_t>(end), false);
}

/// Frames, nominal where they are dropped.
class Frames {
  public:
    enum class Way { nominal };
    static constexpr Way kWays[] = {Way::nominal};

    Frames(const OriginalFrames& original, ScheduleSearch& search)
        : original_(original), search_(search), kept_(original.size(), true) {}

    [[nodiscard]] bool over() const { return search_.over(); }
    [[nodiscard]] std::uint64_t end() const {
        const auto last = std::find(kept_.rbegin(), kept_.rend(), true);
        return static_cast<std::uint64_t>(kept_.rend() - last);
    }

    bool drop(const PartRanges& ranges, Way, const std::vector<std::uint64_t>& checkpoints) {
        KeptFrames kept = kept_;
        for (const PartRange& range : ranges) {
            drop_range(kept, range.first, range.end);
        }
        if (kept == kept_) {
            return true;
        }
        const PlacedFrames placed = original_.place(kept, search_.until());
        std::vector<std::uint64_t> frames;
        for (const std::uint64_t checkpoint : checkpoints) {
            frames.push_back(placed.before[checkpoint]);
        }
        if (!search_.fails(placed.runs, frames, ScheduleSearch::End::as_it_is)) {
            return false;
        }
        // It may diverge earlier than before: then what comes later is no longer needed.
        drop_range(kept, original_.place(kept, search_.until()).reached, kept.size());
        kept_ = std::move(kept);
        return true;
    }

    // Also ends where equal frames do: those have no originals.
    bool drop_between(std::uint64_t first, std::uint64_t end) {
        if (drop({{first + 1, end - 1}}, Way::nominal, {first + 1, end - 1})) {
            return true;
        }
        level_frames(search_);
        return search_.best() != original_.place(kept_, search_.until()).runs;
    }

  private:
    const OriginalFrames& original_;
    ScheduleSearch& search_;
    KeptFrames kept_;
};

}  // namespace

void drop_frames(const OriginalFrames& original, ScheduleSearch& search) {
    Frames frames(original, search);
    NeededParts(frames).find();
}

namespace {

using core::FrameTime;

constexpr int kMostTrials = 8;  // for each run
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kManySteps = 128;  // of a millisecond: too many to halve

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    const std::int64_t rest = value % unit;
    return rest > 0 ? value - rest + unit : value - rest;  // towards zero where negative
}

/// One run whose time is to be rounded.
class RoundedRun {
  public:
    RoundedRun(ScheduleSearch& search, std::size_t run)
        : search_(search),
          run_(run),
          runs_(search.best()),
          time_(runs_[run].time->nanoseconds),
          nominal_(std::max<std::int64_t>(search.loop().rate.time_of(1), 1)) {
        for (std::size_t i = 0; i < run; ++i) {
            before_ += runs_[i].count;
        }
    }

    void round() {
        if (time_ > nominal_) {
            round_long();
        } else {
            round_short();
        }
    }

  private:
    bool fails(std::int64_t time) {
        if (time == time_) {
            return true;
        }
        if (trials_ == kMostTrials) {
            return false;
        }
        ++trials_;
        FrameRuns changed;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            append(changed, i == run_ ? FrameRun{FrameTime{time}, runs_[i].count} : runs_[i]);
        }
        return search_.fails(changed, {before_}, ScheduleSearch::End::padded);
    }

    bool first_that_fails(const std::vector<std::int64_t>& times) {
        return std::any_of(times.begin(), times.end(),
                           [this](std::int64_t time) { return fails(time); });
    }

    // The shortest whole number of milliseconds, or tens of them.
    void round_long() {
        const auto& longest = search_.loop().options.longest_frame;
        const std::int64_t most = longest ? std::min(time_, longest->nanoseconds) : time_;
        const bool far = (most - nominal_) / kMillisecond > kManySteps;
        const std::int64_t unit = far ? 10 * kMillisecond : kMillisecond;
        const std::int64_t high = rounded_up(most, unit);
        const std::int64_t low = rounded_up(nominal_ + 1, unit) - unit;
        if (fails(high)) {
            halve(low, high, unit);
        } else if (time_ > most) {
            round_beyond(most);
        } else {
            const std::int64_t ticks = (time_ + nominal_ / 2) / nominal_;
            first_that_fails({high - unit,
                              search_.loop().rate.time_of(static_cast<std::uint64_t>(ticks)),
                              rounded_up(most, unit / 10), rounded_up(most, unit / 100)});
        }
    }

    // The loop cuts it to `longest`, and yet it has to be longer: to two digits.
    void round_beyond(std::int64_t longest) {
        std::int64_t unit = 10 * kMillisecond;
        while (time_ / unit >= 100) {
            unit *= 10;
        }
        const std::int64_t high = rounded_up(time_, unit);
        if (fails(high)) {
            halve(rounded_up(longest, unit) - unit, high, unit);
        } else {
            first_that_fails(
                {high - unit, rounded_up(time_, unit / 10), rounded_up(time_, unit / 100)});
        }
    }

    // `high` fails. Both are whole numbers of units, and of those between the shortest is wanted.
    void halve(std::int64_t low, std::int64_t high, std::int64_t unit) {
        while (high - low > unit) {
            const std::int64_t middle = low + (high - low) / 2 / unit * unit;
            (fails(middle) ? high : low) = middle;
        }
    }

    void round_short() {
        if (time_ < 0) {
            first_that_fails({0, -kMillisecond, rounded_up(time_, kMillisecond),
                              rounded_up(time_, kMillisecond) - kMillisecond});
            return;
        }
        const std::int64_t up = rounded_up(time_, kMillisecond);
        first_that_fails({0, up < nominal_ ? up : time_ / kMillisecond * kMillisecond,
                          time_ / kMillisecond * kMillisecond, rounded_up(time_, kMillisecond / 10),
                          rounded_up(time_, kMillisecond / 100)});
    }

    ScheduleSearch& search_;
    std::size_t run_;
    FrameRuns runs_;
    std::int64_t time_;
    std::int64_t nominal_;
    std::uint64_t before_ = 0;
    int trials_ = 0;
};

}  // namespace

void round_times(ScheduleSearch& search) {
    Patience patience;
    for (std::size_t run = 0; run < search.best().size() && patience.left(); ++run) {
        const FrameRuns runs = search.best();
        if (runs[run].time) {
            RoundedRun(search, run).round();
            patience.tried(search.best() != runs);
            run -= search.best().size() < runs.size() && run > 0 ? 1U : 0U;  // it has joined one
        }
    }
}

namespace {

using core::FrameTime;
using End = ScheduleSearch::End;

__extension__ using Wide = __int128;  // sums of frame times

constexpr std::size_t kFewestToLevel = 4;  // frames

std::uint64_t frames_before(const FrameRuns& runs, std::size_t run) {
    std::uint64_t frames = 0;
    for (std::size_t i = 0; i < run; ++i) {
        frames += runs[i].count;
    }
    return frames;
}

// `runs` with another count in the place of one.
FrameRuns recounted(const FrameRuns& runs, std::size_t run, std::uint64_t count) {
    FrameRuns changed;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        append(changed, {runs[i].time, i == run ? count : runs[i].count});
    }
    return changed;
}

// From `first` to before `end`, at times of their own.
struct Stretch {
    std::size_t first = 0;
    std::size_t end = 0;
};

Stretch next_stretch(const FrameRuns& runs, std::size_t from) {
    Stretch stretch{from, from};
    while (stretch.first < runs.size() && !runs[stretch.first].time) {
        ++stretch.first;
    }
    stretch.end = stretch.first;
    while (stretch.end < runs.size() && runs[stretch.end].time) {
        ++stretch.end;
    }
    return stretch;
}

// As many equal frames in place of a stretch: of their mean time, the longest, the shortest.
std::vector<FrameRun> levelled(const FrameRuns& runs, Stretch stretch) {
    Wide total = 0;
    std::uint64_t count = 0;
    FrameTime longest = *runs[stretch.first].time;
    FrameTime shortest = longest;
    for (std::size_t i = stretch.first; i < stretch.end; ++i) {
        const FrameTime time = *runs[i].time;
        total += Wide{time.nanoseconds} * Wide{runs[i].count};
        count += runs[i].count;
        longest = std::max(longest, time);
        shortest = std::min(shortest, time);
    }
    const FrameTime mean{static_cast<std::int64_t>(total / Wide{count})};
    return {{mean, count}, {longest, count}, {shortest, count}};
}

bool level(ScheduleSearch& search, Stretch stretch) {
    const FrameRuns runs = search.best();
    for (const FrameRun& run : levelled(runs, stretch)) {
        if (run.count < kFewestToLevel) {
            return false;
        }
        FrameRuns changed(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(stretch.first));
        append(changed, run);
        changed.insert(changed.end(), runs.begin() + static_cast<std::ptrdiff_t>(stretch.end),
                       runs.end());
        if (search.fails(changed, {frames_before(runs, stretch.first)}, End::padded)) {
            return true;
        }
    }
    return false;
}

// Of one run, the smallest count that fails. True if none of its frames is left. One less and half
// are asked first: where neither does, none would. What may need a certain tick has nominal frames
// behind it in place of those between; in front of it they would only be moved.
bool lower_count(ScheduleSearch& search, std::size_t run) {
    const FrameRuns runs = search.best();
    const std::uint64_t before = frames_before(runs, run);
    const std::uint64_t count = runs[run].count;
    const auto fails = [&](std::uint64_t fewer) {
        std::vector<std::uint64_t> shared;
        for (const std::uint64_t place : places_from_high(0, count)) {
            shared.push_back(before + std::min(place, fewer));
        }
        shared.push_back(before + fewer);
        return search.fails(recounted(runs, run, fewer), shared,
                            run == 0 ? End::as_it_is : End::padded);
    };
    std::uint64_t least = count;
    if (fails(count - 1)) {
        least = count - 1;
    } else if (count > 3 && fails(count / 2)) {
        least = count / 2;
    }
    if (least < count && least > 1) {
        least = last_from_high(0, least, [&](std::uint64_t fewer) { return !fails(fewer); }) + 1;
    }
    return least == 0 || (least == 1 && fails(0));
}

void lower_counts(ScheduleSearch& search, bool nominal) {
    Patience patience;
    for (std::size_t run = 0; run < search.best().size() && patience.left();) {
        const FrameRuns runs = search.best();
        const bool last = nominal && run + 1 == runs.size();
        if (last || runs[run].time.has_value() == nominal) {
            ++run;
            continue;
        }
        const bool none_left = lower_count(search, run);
        patience.tried(search.best() != runs);
        run += none_left ? 0U : 1U;
    }
}

}  // namespace

void level_frames(ScheduleSearch& search) {
    Patience patience;
    for (std::size_t from = 0; from < search.best().size() && patience.left();) {
        const Stretch stretch = next_stretch(search.best(), from);
        from = stretch.end + 1;
        if (stretch.end - stretch.first > 1) {
            const bool levelled = level(search, stretch);
            patience.tried(levelled);
            from = levelled ? stretch.first + 2 : from;
        }
    }
}

void lower_counts(ScheduleSearch& search) {
    lower_counts(search, false);
    lower_counts(search, true);
}

}  // namespace isotick::harness
