#include "../search/blocks.hpp"
#include "../search/boundary.hpp"
#include "input_search.hpp"

#include <algorithm>
#include <span>

namespace isotick::harness {
namespace {

constexpr InputEditKind kBoth[] = {InputEditKind::release, InputEditKind::hold};

/// Which ticks need any input at all.
class NeededTicks {
  public:
    explicit NeededTicks(InputSearch& search) : search_(search) {}

    void find() {
        const std::uint64_t ticks = search_.ticks();
        if (fails_with(0, ticks, InputEditKind::release, places_from_high(0, ticks))) {
            return;
        }
        const std::uint64_t first = last_from_high(0, ticks, [this](std::uint64_t to) {
            return to < search_.ticks() && fails_with(0, to, InputEditKind::release, {to});
        });
        const std::uint64_t end = drop_back(first + 1, search_.ticks());
        if (end - first < 2 || fails_with(first + 1, end, InputEditKind::hold, {first + 1})) {
            return;
        }
        drop_between(first + 1, end - 1);
        drop_unsure();
    }

  private:
    bool fails_with(std::uint64_t from, std::uint64_t to, InputEditKind kind,
                    const std::vector<std::uint64_t>& checkpoints) {
        InputGrid grid = search_.best();
        grid.edit_all(from, to, kind);
        return search_.fails(grid, checkpoints);
    }

    // Nothing is needed from the tick that is returned on.
    std::uint64_t drop_back(std::uint64_t low, std::uint64_t high) {
        for (const InputEditKind kind : kBoth) {
            if (low >= high || fails_with(low, high, kind, {low})) {
                return low;
            }
        }
        for (const InputEditKind kind : kBoth) {
            const std::uint64_t removed = last_from_low(0, high - low, [&](std::uint64_t ticks) {
                return fails_with(high - ticks, high, kind, {low, high - ticks});
            });
            if (removed > 0) {
                return high - removed;
            }
        }
        return high;
    }

    // Those before and behind are needed. Where the very next is, more and more are kept without a
    // trial: what comes in one piece is needed as a whole, or halved later.
    void drop_between(std::uint64_t low, std::uint64_t high) {
        std::uint64_t unsure = 0;
        while (low < high && !search_.over()) {
            for (const InputEditKind kind : kBoth) {
                if (fails_with(low, high, kind, {low, high})) {
                    return;
                }
            }
            const std::uint64_t needed = drop_front(low, high);
            unsure = needed > low ? 0 : 2 * unsure + 1;
            low = needed + 1;
            for (std::uint64_t i = 1; i < unsure && low < high; ++i, ++low) {
                unsure_.push_back(low);
            }
            high = std::min(high, search_.ticks());
        }
    }

    // The first tick that is needed, of those from `low` to before `high`.
    std::uint64_t drop_front(std::uint64_t low, std::uint64_t high) {
        for (const InputEditKind kind : kBoth) {
            const std::uint64_t needed = last_from_low(low, high, [&](std::uint64_t to) {
                return fails_with(low, to, kind, {low, to});
            });
            if (needed > low) {
                return needed;
            }
        }
        return low;
    }

    void drop_unsure() {
        drop_blocks(unsure_, [this](std::span<const std::uint64_t> block) {
            return std::any_of(std::begin(kBoth), std::end(kBoth), [&](InputEditKind kind) {
                InputGrid grid = search_.best();
                for (const std::uint64_t tick : block) {
                    grid.edit_all(tick, tick + 1, kind);
                }
                return search_.fails(grid, {block.front()});
            });
        });
    }

    InputSearch& search_;
    std::vector<std::uint64_t> unsure_;  // kept without a trial of their own
};

}  // namespace

void drop_ticks(InputSearch& search) {
    NeededTicks(search).find();
}

}  // namespace isotick::harness
