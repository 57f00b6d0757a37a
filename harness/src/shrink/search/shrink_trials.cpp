#include "shrink_trials.hpp"

namespace isotick::harness {

std::optional<core::Tick> ShrinkTrials::run(
    const core::Digest& candidate, core::Tick until,
    const std::function<core::Result<RanCandidate>()>& run) {
    if (over() || in_vain_.contains(candidate) || !may_go_on()) {
        return std::nullopt;
    }
    const auto ran = run();
    if (!ran) {
        effort_.end = ShrinkEnd::runner_failed;
        effort_.error = ran.error();
        return std::nullopt;
    }
    ++effort_.trials;
    effort_.ticks += ran->ticks_spent;
    if (ran->diverged_at && *ran->diverged_at <= until) {
        return ran->diverged_at;
    }
    in_vain_.insert(candidate);
    return std::nullopt;
}

bool ShrinkTrials::may_go_on() {
    if (effort_.trials >= limits_.most_trials || effort_.ticks >= limits_.most_ticks) {
        effort_.end = ShrinkEnd::out_of_budget;
    } else if (limits_.stop && limits_.stop()) {
        effort_.end = ShrinkEnd::stopped;
    }
    return !over();
}

}  // namespace isotick::harness
