#include "window.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace isotick::harness {

std::optional<Failure> failure_of(const LockstepTrial& trial) {
    if (!trial.divergence) {
        return std::nullopt;
    }
    const LockstepDivergence& found = *trial.divergence;
    const PeerRun& run = trial.outcomes[found.outcome].run;
    if (run.moments.empty()) {
        return std::nullopt;
    }
    // A state that it joined with comes before its first frame.
    const auto frame =
        std::min<std::uint64_t>(found.context.frame, std::uint64_t{run.moments.size()} - 1);
    return Failure{run.peer, run.moments[frame].at_ns,
                   "diverged at " + describe_state(found.ticks_done)};
}

Window window_of(std::int64_t length_ns, std::optional<std::int64_t> around_ns) {
    const std::int64_t length = std::max<std::int64_t>(length_ns, 1'000'000);
    if (length <= kLongestWindow) {
        return {0, length};
    }
    const std::int64_t wanted = around_ns ? *around_ns - kLongestWindow / 3 * 2 : 0;
    const std::int64_t from = std::clamp<std::int64_t>(wanted, 0, length - kLongestWindow);
    return {from, from + kLongestWindow};
}

}  // namespace isotick::harness
