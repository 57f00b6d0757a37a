#include "schedule_search.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {

bool ScheduleSearch::fails(const FrameRuns& runs, std::vector<std::uint64_t> checkpoints, End end) {
    if (over()) {
        return false;
    }
    auto cut = cut_after(runs, until_, loop_, end == End::padded);
    if (!cut || cut->empty()) {
        return false;  // no frames; that the loop cannot be made is ruled out by then
    }
    if (*cut == best_) {
        return true;
    }
    checkpoints.erase(std::unique(checkpoints.begin(), checkpoints.end()), checkpoints.end());
    const ScheduleCandidate candidate{*std::move(cut), until_, std::move(checkpoints)};
    const auto tick =
        trials_.run(digest_of(candidate.runs), until_, [&] { return run_(candidate); });
    if (!tick) {
        return false;
    }
    until_ = *tick;
    best_ = cut_after(candidate.runs, until_, loop_, false).value_or(candidate.runs);
    return true;
}

}  // namespace isotick::harness
