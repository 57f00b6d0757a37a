#include "shrink_schedule.hpp"
#include "unfinished.hpp"

#include <isotick/harness/shrink.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// The frame times of the plan up to the one in which the divergence came.
std::vector<core::FrameTime> frames_until(const TrialPlan& plan, const Divergence& divergence,
                                          core::TickRate rate) {
    std::vector<core::FrameTime> frames;
    core::FrameSource source = plan.schedule.frames(rate);
    while (frames.size() <= divergence.computed.context.frame) {
        frames.push_back(source.next());
    }
    return frames;
}

TrialPlan plan_of(TrialPlan plan, const core::Schedule& schedule, core::Tick until) {
    plan.schedule = schedule;
    plan.until = until;
    plan.most_frames = 0;
    return plan;
}

// Where much is needed, or time was short, what was found may be every frame spelled out.
bool is_plainer(const core::Schedule& found, const core::Schedule& original) {
    constexpr std::size_t kMostRead = 200;
    return found.to_string().size() <= std::max(kMostRead, original.to_string().size());
}

ScheduleRunner runner_of(const TrialPlan& failing, const BranchRunner& run) {
    return [&failing, &run](const ScheduleCandidate& candidate) -> Result<RanCandidate> {
        const auto schedule = schedule_of(candidate.runs);
        if (!schedule) {
            return tl::unexpected(schedule.error());
        }
        TrialPlan plan = plan_of(failing, *schedule, candidate.until);
        plan.most_frames = frames_of(candidate.runs);
        return run(plan, candidate.checkpoints).map([](const BranchedTrial& trial) {
            RanCandidate ran{std::nullopt, trial.ticks_run};
            const auto& divergence = trial.result.divergence;
            if (divergence && divergence->computed.ticks_done > 0) {
                ran.diverged_at = core::Tick{divergence->computed.ticks_done - 1};
            }
            return ran;
        });
    };
}

}  // namespace

Result<std::optional<ShrunkTrial>> shrink(const TrialPlan& plan, const Divergence& divergence,
                                          core::TickRate rate, const ShrinkOptions& options) {
    const std::uint64_t ticks_done = divergence.computed.ticks_done;
    if (ticks_done == 0 || plan.schedule == core::Schedule::nominal()) {
        return std::nullopt;
    }
    const ShrinkLimits limits{.most_ticks = options.most_ticks != 0
                                                ? options.most_ticks
                                                : kUsualShrinkReplays * ticks_done,
                              .stop = options.stop};
    const auto shrunk = shrink_schedule({.frames = frames_until(plan, divergence, rate),
                                         .diverged_at = core::Tick{ticks_done - 1},
                                         .loop = {rate, plan.loop}},
                                        runner_of(plan, options.run), limits);
    if (!shrunk) {
        return tl::unexpected(shrunk.error());
    }
    TrialPlan smaller = plan;
    if (is_plainer(shrunk->schedule, plan.schedule)) {
        smaller.schedule = shrunk->schedule;
        smaller.most_frames = 0;
    }
    return ShrunkTrial{std::move(smaller),
                       {.schedule = plan.schedule,
                        .ticks_done = ticks_done,
                        .trials = shrunk->effort.trials,
                        .ticks = shrunk->effort.ticks,
                        .unfinished = unfinished(shrunk->effort)}};
}

}  // namespace isotick::harness
