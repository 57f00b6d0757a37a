#include "../search/needed_parts.hpp"
#include "original_frames.hpp"
#include "schedule_search.hpp"

namespace isotick::harness {
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

}  // namespace isotick::harness
