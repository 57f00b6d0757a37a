#pragma once
// Finding the place where a predicate turns, in steps that grow from the end where it is likely.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace isotick::harness {

/// By how much each step from an end is longer than the one before: few steps where the place is
/// far off, few to halve between the last two where it is near.
inline constexpr std::uint64_t kGallopFactor = 8;

/// A place x from `low` to `high` - 1 with holds(x) and not holds(x + 1), given holds(low) and not
/// holds(high), neither of which is asked for. The largest such x where holds turns only once.
template <class Holds>
std::uint64_t last_between(std::uint64_t low, std::uint64_t high, const Holds& holds) {
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (holds(middle) ? low : high) = middle;
    }
    return low;
}

/// As last_between, looking near `low` first.
template <class Holds>
std::uint64_t last_from_low(std::uint64_t low, std::uint64_t high, const Holds& holds) {
    for (std::uint64_t step = 1; high - low > step; step *= kGallopFactor) {
        if (!holds(low + step)) {
            return last_between(low, low + step, holds);
        }
        low += step;
    }
    return last_between(low, high, holds);
}

/// Where last_from_high looks before it halves, from low to high.
inline std::vector<std::uint64_t> places_from_high(std::uint64_t low, std::uint64_t high) {
    std::vector<std::uint64_t> places;
    for (std::uint64_t back = 1; high - low > back; back = back * kGallopFactor) {
        places.push_back(high - back);
    }
    std::reverse(places.begin(), places.end());
    return places;
}

/// As last_between, looking near `high` first.
template <class Holds>
std::uint64_t last_from_high(std::uint64_t low, std::uint64_t high, const Holds& holds) {
    std::vector<std::uint64_t> places = places_from_high(low, high);
    for (; !places.empty(); places.pop_back()) {
        if (holds(places.back())) {
            return last_between(places.back(), high, holds);
        }
        high = places.back();
    }
    return last_between(low, high, holds);
}

}  // namespace isotick::harness
