#include "shrink_trials.hpp"

#include "../axes/axes.hpp"

namespace isotick::harness {
namespace {

std::optional<core::Tick> step_of(const Place& place) {
    switch (place.activity) {
        case Activity::stepping:
        case Activity::hashing:
        case Activity::showing_fields:
            return place.steps == 0 ? std::nullopt : std::optional(core::Tick{place.steps - 1});
        case Activity::beginning_frame:
        case Activity::rendering:
        case Activity::saving:
        case Activity::restoring:
            return core::Tick{place.steps};
        case Activity::starting:
        case Activity::loading:
        case Activity::creating:
        case Activity::proposing_input:
        case Activity::describing_inputs:
        case Activity::destroying:
        case Activity::visiting:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<core::Tick> failed_step(const TrialResult& result) {
    if (result.divergence) {
        return core::Tick{std::max<std::uint64_t>(result.divergence->computed.steps, 1) - 1};
    }
    return result.verdict == Verdict::crashed && result.failed_in ? step_of(*result.failed_in)
                                                                  : std::nullopt;
}

FailureClock::FailureClock(const TrialPlan& failing)
    : counts_ticks_(have_course(failing.drive.axes)) {}

std::optional<core::Tick> FailureClock::when(const TrialResult& result) const {
    const auto step = failed_step(result);
    if (!counts_ticks_) {
        return step;
    }
    if (result.divergence && result.divergence->computed.ticks_done > 0) {
        return core::Tick{result.divergence->computed.ticks_done - 1};
    }
    return step ? std::optional(result.failed_in->tick) : std::nullopt;
}

std::optional<core::Tick> FailureClock::until(const TrialResult& original) const {
    auto tick = when(original);
    if (tick && counts_ticks_ && original.divergence) {
        tick->value += original.divergence->computed.context.back;
    }
    return tick;
}

bool fails_alike(const TrialResult& result, const TrialResult& original) {
    if (original.divergence || result.divergence) {
        return original.divergence.has_value() && result.divergence.has_value();
    }
    return failed_step(result) && failed_step(original) &&
           result.failed_in->activity == original.failed_in->activity;
}

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
