#include "schedule/shrink_schedule.hpp"
#include "search/failed_step.hpp"
#include "search/unfinished.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/shrink.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// The frame times of the plan up to the one in which step `until` falls.
Result<std::vector<core::FrameTime>> frames_until(const TrialPlan& plan, core::Tick until,
                                                  core::TickRate rate) {
    constexpr std::size_t kMostFrames = 100'000'000;
    auto loop = core::Loop::make(rate, plan.loop);
    if (!loop) {
        return tl::unexpected(loop.error());
    }
    std::vector<core::FrameTime> frames;
    core::FrameSource source = plan.schedule.frames(rate);
    for (std::uint64_t steps = 0; steps <= until.value && frames.size() < kMostFrames;) {
        frames.push_back(source.next());
        steps += loop->advance(frames.back()).plan.ticks;
    }
    return frames;
}

std::string how_it_failed(const TrialResult& result) {
    return result.divergence
               ? "diverged at " + describe_state(result.divergence->computed.ticks_done)
               : "crashed " + describe(result.failed_in->activity, result.failed_in->tick);
}

std::uint64_t ticks_done_of(const TrialResult& result) {
    return result.divergence ? result.divergence->computed.ticks_done
                             : result.failed_in->tick.value + 1;
}

// Where much is needed, or time was short, what was found may be every frame spelled out.
bool is_plainer(const core::Schedule& found, const core::Schedule& original) {
    constexpr std::size_t kMostRead = 200;
    return found.to_string().size() <= std::max(kMostRead, original.to_string().size());
}

ScheduleRunner runner_of(const TrialPlan& failing, const TrialResult& original,
                         const BranchRunner& run) {
    return [&](const ScheduleCandidate& candidate) -> Result<RanCandidate> {
        const auto schedule = schedule_of(candidate.runs);
        if (!schedule) {
            return tl::unexpected(schedule.error());
        }
        TrialPlan plan = failing;
        plan.schedule = *schedule;
        plan.most_steps = candidate.until.value + 1;
        plan.most_frames = frames_of(candidate.runs);
        return run(plan, candidate.checkpoints).map([&original](const BranchedTrial& trial) {
            return RanCandidate{
                fails_alike(trial.result, original) ? failed_step(trial.result) : std::nullopt,
                trial.ticks_run};
        });
    };
}

}  // namespace

Result<std::optional<ShrunkTrial>> shrink(const TrialPlan& plan, const TrialResult& result,
                                          core::TickRate rate, const ShrinkOptions& options) {
    const std::optional<core::Tick> failed_at = failed_step(result);
    if (!failed_at || plan.schedule == core::Schedule::nominal()) {
        return std::nullopt;
    }
    auto frames = frames_until(plan, *failed_at, rate);
    if (!frames) {
        return tl::unexpected(frames.error());
    }
    const ShrinkLimits limits{.most_ticks = options.most_ticks != 0
                                                ? options.most_ticks
                                                : kUsualShrinkReplays * (failed_at->value + 1),
                              .stop = options.stop};
    const auto shrunk = shrink_schedule(
        {.frames = *std::move(frames), .diverged_at = *failed_at, .loop = {rate, plan.loop}},
        runner_of(plan, result, options.run), limits);
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
                        .failed = how_it_failed(result),
                        .ticks_done = ticks_done_of(result),
                        .trials = shrunk->effort.trials,
                        .ticks = shrunk->effort.ticks,
                        .unfinished = unfinished(shrunk->effort)}};
}

}  // namespace isotick::harness
