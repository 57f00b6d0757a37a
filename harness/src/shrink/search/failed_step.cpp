#include "failed_step.hpp"

#include "../../axes/axes.hpp"

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
        const std::uint64_t steps = result.divergence->computed.steps;
        return steps == 0 ? std::nullopt : std::optional(core::Tick{steps - 1});
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

}  // namespace isotick::harness
