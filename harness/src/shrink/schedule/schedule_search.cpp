#include "schedule_search.hpp"

#include <utility>

namespace isotick::harness {

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

}  // namespace isotick::harness
