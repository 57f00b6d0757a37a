#include "needed_frames.hpp"

#include "../search/blocks.hpp"
#include "../search/boundary.hpp"

#include <algorithm>
#include <span>

namespace isotick::harness {

void NeededFrames::find() {
    const std::size_t frames = original_.size();
    const auto places = places_from_high(0, frames);
    if (try_kept(KeptFrames(frames, false), {places.begin(), places.end()})) {
        return;
    }
    const std::size_t first = drop_front();
    const std::size_t last = drop_back(first + 1, end());
    if (last - first < 3 || fails_without(first + 1, last - 1)) {
        return;
    }
    level_frames(search_);
    if (search_.best() != original_.place(kept_, search_.until()).runs) {
        return;
    }
    drop_between(first + 1, last - 1);
    drop_unsure();
}

KeptFrames NeededFrames::without(std::size_t from, std::size_t to) const {
    KeptFrames kept = kept_;
    for (std::size_t i = from; i < to; ++i) {
        kept[i] = false;
    }
    return kept;
}

bool NeededFrames::fails_without(std::size_t from, std::size_t to) {
    std::vector<std::size_t> checkpoints{from};
    if (to < kept_.size()) {
        checkpoints.push_back(to);
    }
    return try_kept(without(from, to), checkpoints);
}

bool NeededFrames::try_kept(const KeptFrames& kept, const std::vector<std::size_t>& checkpoints) {
    if (kept == kept_) {
        return true;
    }
    const PlacedFrames placed = original_.place(kept, search_.until());
    std::vector<std::uint64_t> frames;
    for (const std::size_t checkpoint : checkpoints) {
        frames.push_back(placed.before[checkpoint]);
    }
    if (!search_.fails(placed.runs, frames, ScheduleSearch::End::as_it_is)) {
        return false;
    }
    // It may diverge earlier than before: then what comes later is no longer needed.
    const std::size_t reached = original_.place(kept, search_.until()).reached;
    kept_ = kept;
    std::fill(kept_.begin() + static_cast<std::ptrdiff_t>(reached), kept_.end(), false);
    return true;
}

std::size_t NeededFrames::end() const {
    const auto last = std::find(kept_.rbegin(), kept_.rend(), true);
    return static_cast<std::size_t>(kept_.rend() - last);
}

// The first needed frame: a nominal one in its place does not do.
std::size_t NeededFrames::drop_front() {
    return last_from_high(0, kept_.size(),
                          [this](std::size_t to) { return to < end() && fails_without(0, to); });
}

// Behind the last needed frame, from `low` to `high`. That none of those between is needed is
// likely, and so is that the last is.
std::size_t NeededFrames::drop_back(std::size_t low, std::size_t high) {
    if (high <= low || fails_without(low, high)) {
        return low;
    }
    const auto removed = last_from_low(
        0, high - low, [&](std::size_t frames) { return fails_without(high - frames, high); });
    return high - removed;
}

// Those before and behind are needed, and so is one of these. Where the very next is, more and more
// are kept without a trial: what comes in one piece is needed as a whole, or halved later.
void NeededFrames::drop_between(std::size_t low, std::size_t high) {
    std::size_t unsure = 0;
    high = std::min(high, end());
    while (low < high && !search_.over()) {
        if (low + 1 < high && !fails_without(low, high)) {
            const std::size_t needed =
                last_from_low(low, high, [&](std::size_t to) { return fails_without(low, to); });
            unsure = needed > low ? 0 : 2 * unsure + 1;
            low = needed + 1;
        } else if (low + 1 == high) {
            (void)fails_without(low, high);
            return;
        } else {
            return;
        }
        for (std::size_t i = 1; i < unsure && low < high; ++i, ++low) {
            unsure_.push_back(low);
        }
        high = std::min(high, end());
    }
}

void NeededFrames::drop_unsure() {
    drop_blocks(unsure_, [this](std::span<const std::size_t> block) {
        KeptFrames kept = kept_;
        for (const std::size_t frame : block) {
            kept[frame] = false;
        }
        return try_kept(kept, {block.front()});
    });
}

}  // namespace isotick::harness
