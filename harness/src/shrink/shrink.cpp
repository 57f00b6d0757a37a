#include "../axes/axes.hpp"
#include "schedule/shrink_schedule.hpp"
#include "search/failed_step.hpp"
#include "search/unfinished.hpp"
#include "shrink_axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/shrink/shrink.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// The frame times of the plan up to the one in which step `until` falls.
Result<std::vector<core::FrameTime>> frames_until(const TrialPlan& plan, core::Tick until,
                                                  core::TickRate rate) {
    constexpr std::size_t kMostFrames = 100'000'000;
    ISOTICK_TRY_ASSIGN(auto loop, core::Loop::make(rate, plan.drive.loop));
    std::vector<core::FrameTime> frames;
    core::FrameSource source = plan.drive.schedule.frames(rate);
    for (std::uint64_t steps = 0; steps <= until.value && frames.size() < kMostFrames;) {
        frames.push_back(source.next());
        steps += loop.advance(frames.back()).plan.ticks;
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
        ISOTICK_TRY_ASSIGN(const auto schedule, schedule_of(candidate.runs));
        TrialPlan plan = failing;
        plan.drive.schedule = schedule;
        plan.most_steps = candidate.until.value + 1;
        plan.most_frames = frames_of(candidate.runs);
        return run(plan, candidate.checkpoints).map([&original](const BranchedTrial& trial) {
            return RanCandidate{
                fails_alike(trial.result, original) ? failed_step(trial.result) : std::nullopt,
                trial.ticks_run};
        });
    };
}

// Gives `plan` the smaller schedule, where that is plainer to read.
Result<ShrinkEffort> with_smaller_schedule(TrialPlan& plan, const TrialResult& result,
                                           core::TickRate rate, const BranchRunner& run,
                                           const ShrinkLimits& limits) {
    const core::Tick failed_at = *failed_step(result);
    ISOTICK_TRY_ASSIGN(auto frames, frames_until(plan, failed_at, rate));
    const TrialPlan failing = plan;
    return shrink_schedule({.frames = std::move(frames),
                            .diverged_at = failed_at,
                            .loop = {rate, failing.drive.loop}},
                           runner_of(failing, result, run), limits)
        .map([&plan](const ShrunkSchedule& shrunk) {
            if (is_plainer(shrunk.schedule, plan.drive.schedule)) {
                plan.drive.schedule = shrunk.schedule;
                plan.most_frames = 0;
            }
            return shrunk.effort;
        });
}

// Whether nothing but axes is left to shrink, and they can be.
bool can_be_less(const std::vector<AxisValue>& axes) {
    return axes.size() > 1 || std::ranges::any_of(axes, [](const AxisValue& value) {
               const Axis* axis = find_axis(value.axis);
               return !plainer(value).empty() || (axis != nullptr && !axis->brings.empty());
           });
}

}  // namespace

Result<std::optional<ShrunkTrial>> shrink(const TrialPlan& plan, const TrialResult& result,
                                          core::TickRate rate, const ShrinkOptions& options) {
    const std::optional<core::Tick> failed_at =
        std::max(failed_step(result), FailureClock(plan).until(result));
    if (!failed_at || (plan.drive.has_nominal_frames() && !can_be_less(plan.drive.axes))) {
        return std::nullopt;
    }
    const std::uint64_t replays = kUsualShrinkReplays + 16 * plan.drive.axes.size();
    const std::uint64_t up_to_it = std::max(failed_at->value + 1, ticks_done_of(result));
    ShrinkLimits limits{
        .most_ticks = options.most_ticks != 0 ? options.most_ticks : replays * up_to_it,
        .stop = options.stop};
    TrialPlan smaller = plan;
    ShrunkAxes axes = shrink_axes(plan, result, options.run, limits);
    if (axes.drive.schedule != smaller.drive.schedule) {
        smaller.most_frames = 0;
    }
    smaller.drive = std::move(axes.drive);
    ShrinkEffort effort = axes.effort;
    limits.most_ticks -= std::min(limits.most_ticks, effort.ticks);
    if (effort.end == ShrinkEnd::complete && !smaller.drive.has_nominal_frames()) {
        ISOTICK_TRY_ASSIGN(effort,
                           with_smaller_schedule(smaller, result, rate, options.run, limits));
        effort.trials += axes.effort.trials;
        effort.ticks += axes.effort.ticks;
    }
    return ShrunkTrial{std::move(smaller),
                       {.drive = plan.drive,
                        .failed = how_it_failed(result),
                        .ticks_done = ticks_done_of(result),
                        .trials = effort.trials,
                        .ticks = effort.ticks,
                        .unfinished = unfinished(effort)}};
}

}  // namespace isotick::harness
