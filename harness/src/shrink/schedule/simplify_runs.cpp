#include "../search/boundary.hpp"
#include "../search/patience.hpp"
#include "schedule_search.hpp"

#include <algorithm>
#include <cstddef>

namespace isotick::harness {
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
