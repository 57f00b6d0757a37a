#pragma once
// Counting frames and loads in a trial's statistics.

#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <cstdint>

namespace isotick::harness {

/// Counts one frame in which `ticks` ticks fell.
inline void count_frame(TrialStatistics& statistics, std::uint64_t ticks) {
    const bool first = statistics.frames == 0;
    statistics.least_ticks_per_frame =
        first ? ticks : std::min(statistics.least_ticks_per_frame, ticks);
    statistics.most_ticks_per_frame = std::max(statistics.most_ticks_per_frame, ticks);
    ++statistics.frames;
}

/// Counts one load of a state, which undid `ticks` ticks.
inline void count_load(TrialStatistics& statistics, std::uint64_t ticks) {
    const bool first = statistics.state_loads == 0;
    statistics.least_ticks_back = first ? ticks : std::min(statistics.least_ticks_back, ticks);
    statistics.most_ticks_back = std::max(statistics.most_ticks_back, ticks);
    ++statistics.state_loads;
    statistics.ticks_undone += ticks;
}

}  // namespace isotick::harness
