#pragma once
// The searches that shrinking trials shares: needed parts, a boundary, the best of many.

#include "../system/drop_blocks.hpp"
#include "shrink_trials.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace isotick::harness {

// The best candidate so far: of schedules, of inputs.

/// Tries candidates and keeps the best, which is the last that failed.
template <class Best, class Candidate>
class BestSearch {
  public:
    using Runner = std::function<core::Result<RanCandidate>(const Candidate&)>;

    BestSearch(const Runner& run, const ShrinkLimits& limits, Best best, core::Tick until)
        : best_(std::move(best)), until_(until), run_(run), trials_(limits) {}

    [[nodiscard]] bool over() const { return trials_.over(); }
    [[nodiscard]] const ShrinkEffort& effort() const { return trials_.effort(); }
    [[nodiscard]] const Best& best() const { return best_; }
    [[nodiscard]] core::Tick until() const { return until_; }

  protected:
    /// Whether the candidate fails; then `next`, which it stands for, is the best.
    bool fails(Candidate candidate, const core::Digest& digest, const Best& next) {
        if (next == best_) {
            return true;
        }
        auto& places = candidate.checkpoints;
        places.erase(std::unique(places.begin(), places.end()), places.end());
        const auto tick = trials_.run(digest, until_, [&] { return run_(candidate); });
        if (tick) {
            until_ = *tick;
            best_ = next;
        }
        return tick.has_value();
    }

    Best best_;
    core::Tick until_;

  private:
    const Runner& run_;
    ShrinkTrials trials_;
};

// Finding the place where a predicate turns, in steps that grow from the end where it is likely.

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

// Which parts of a failing trial it needs: its frames, or the ticks that get input.

/// From `first` to before `end`.
struct PartRange {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};
using PartRanges = std::vector<PartRange>;

/// Drops what is not needed: all; or what comes before the first that is needed, then what comes
/// behind the last, then between them, in steps that grow. `Parts` are numbered from 0, and have
///
/// - kWays: how parts can be dropped; where nothing is before them, only the first is tried;
/// - end(): behind the last that may be needed, never growing; and over(): no more may be tried;
/// - drop(ranges, way, checkpoints): whether the rest fails without those. Candidates to come are
///   likely to be the same before the checkpoints;
/// - drop_between(first, end): as drop, for all between the first and the last that are needed.
template <class Parts>
class NeededParts {
  public:
    explicit NeededParts(Parts& parts) : parts_(parts), size_(parts.end()) {}

    void find() {
        if (parts_.drop({{0, size_}}, Parts::kWays[0], places_from_high(0, size_))) {
            return;
        }
        const std::uint64_t first = last_from_high(0, size_, [this](std::uint64_t to) {
            return to < parts_.end() && drop({0, to}, Parts::kWays[0]);
        });
        const std::uint64_t end = drop_back(first + 1, parts_.end());
        if (end - first < 2 || parts_.drop_between(first, end)) {
            return;
        }
        drop_pieces(first + 1, end - 1);
        drop_blocks(unsure_, [this](std::span<const PartRange> block) {
            return in_any_way([&](auto way) {
                return parts_.drop({block.begin(), block.end()}, way, {block.front().first});
            });
        });
    }

  private:
    template <class Drop>
    static bool in_any_way(const Drop& drop) {
        return std::any_of(std::begin(Parts::kWays), std::end(Parts::kWays), drop);
    }

    bool drop(const PartRange& range, typename Parts::Way way) {
        const bool is_last = range.end >= size_;
        return parts_.drop({range}, way, {range.first, is_last ? range.first : range.end});
    }
    bool drop(const PartRange& range) {
        return in_any_way([&](auto way) { return drop(range, way); });
    }

    // How many parts can be dropped, fewer than `most`: range(n) has n of them.
    template <class Range>
    std::uint64_t drop_most(std::uint64_t most, const Range& range) {
        std::uint64_t dropped = 0;
        in_any_way([&](auto way) {
            dropped = last_from_low(0, most, [&](std::uint64_t n) { return drop(range(n), way); });
            return dropped > 0;
        });
        return dropped;
    }

    // Behind the last needed part, from `low` to `high`. That none of those between is needed is
    // likely, and so is that the last is.
    std::uint64_t drop_back(std::uint64_t low, std::uint64_t high) {
        if (low >= high || drop({low, high})) {
            return low;
        }
        return high - drop_most(high - low, [&](std::uint64_t n) {
                   return PartRange{high - n, high};
               });
    }

    // Those before and behind are needed. Where the very next is, more and more are kept without a
    // trial: what comes in one piece is needed as a whole, or halved later.
    void drop_pieces(std::uint64_t low, std::uint64_t high) {
        std::uint64_t unsure = 0;
        while (low < (high = std::min(high, parts_.end())) && !parts_.over()) {
            if (drop({low, high})) {
                return;
            }
            const std::uint64_t dropped = drop_most(high - low, [&](std::uint64_t n) {
                return PartRange{low, low + n};
            });
            unsure = dropped > 0 ? 0 : 2 * unsure + 1;
            low += dropped + 1;
            for (std::uint64_t i = 1; i < unsure && low < high; ++i, ++low) {
                unsure_.push_back({low, low + 1});
            }
        }
    }

    Parts& parts_;
    std::uint64_t size_;
    PartRanges unsure_;  // kept without a trial of their own
};

}  // namespace isotick::harness
