#pragma once
// Looks at every byte of a recording: what is intact, lost or skipped.

#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <vector>

namespace isotick::replay {

// Sets of ticks as ranges.

/// Adds `range`, to the last one where it goes on there.
inline void add_range(std::vector<TickRange>& ranges, const TickRange& range) {
    if (!ranges.empty() && ranges.back().end == range.first) {
        ranges.back().end = range.end;
    } else {
        ranges.push_back(range);
    }
}

/// Sorts ranges and unites those that meet.
inline void sort_ranges(std::vector<TickRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const TickRange& a, const TickRange& b) { return a.first < b.first; });
    std::vector<TickRange> united;
    for (const TickRange& range : ranges) {
        if (!united.empty() && range.first <= united.back().end) {
            united.back().end = std::max(united.back().end, range.end);
        } else {
            united.push_back(range);
        }
    }
    ranges = std::move(united);
}

}  // namespace isotick::replay
