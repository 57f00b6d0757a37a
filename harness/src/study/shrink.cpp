#include "shrink.hpp"

#include "../axes/axes.hpp"
#include "shrink_schedule.hpp"
#include "shrink_trials.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/shrink.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace isotick::harness {

// From the axes of a failing trial to those that it needs, at values that are as plain as can be.

struct ShrunkAxes {
    Drive drive;
    ShrinkEffort effort;
};

/// Tries the schedule alone, then each axis alone under the nominal schedule. Leaves out one axis
/// after the other, and tries plainer values of those that are needed. What fails no later than
/// `result` did, and in the same way, is taken.
[[nodiscard]] ShrunkAxes shrink_axes(const TrialPlan& failing, const TrialResult& result,
                                     const BranchRunner& run, const ShrinkLimits& limits);

namespace {

class AxisSearch {
  public:
    AxisSearch(const TrialPlan& failing, const TrialResult& result, const BranchRunner& run,
               const ShrinkLimits& limits)
        : plan_(failing), result_(result), run_(run), trials_(limits), clock_(failing) {}

    ShrunkAxes search() {
        if (!plan_.drive.has_nominal_frames() && !plan_.drive.axes.empty()) {
            try_axes({});
            try_alone();
        }
        leave_out();
        try_more_basic();
        make_plainer();
        return {std::move(plan_.drive), trials_.effort()};
    }

  private:
    // The nominal schedule with no axis at all is known not to fail.
    [[nodiscard]] bool is_last_suspect() const {
        return plan_.drive.has_nominal_frames() && plan_.drive.axes.size() == 1;
    }

    // Most often one axis is all that it takes.
    void try_alone() {
        const std::vector<AxisValue> axes = plan_.drive.axes;
        for (const AxisValue& axis : axes) {
            Drive alone;
            alone.axes = {axis};
            if (try_drive(std::move(alone))) {
                return;
            }
        }
    }

    void leave_out() {
        for (std::size_t i = plan_.drive.axes.size(); i-- > 0 && !is_last_suspect();) {
            std::vector<AxisValue> fewer = plan_.drive.axes;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            try_axes(std::move(fewer));
        }
    }

    // Two axes that fail only together, at these values, often are one with another value. And what
    // fails by something that an axis moves besides is not its own fault.
    void try_more_basic() {
        for (AxisValue& value :
             more_basic(plan_.drive.axes, fails_by_placebo(), result_.capabilities)) {
            Drive alone;
            alone.axes = {std::move(value)};
            if (try_drive(std::move(alone))) {
                return;
            }
        }
    }

    [[nodiscard]] bool fails_by_placebo() {
        const Drive found = plan_.drive;
        const std::uint64_t most_frames = plan_.most_frames;
        const bool fails = found.axes.size() == 1 && found.axes.front().axis != kMovedByPlacebo &&
                           try_axes({placebo_of(found.axes.front())});
        plan_.drive = found;
        plan_.most_frames = most_frames;
        return fails;
    }

    void make_plainer() {
        for (std::size_t i = 0; i < plan_.drive.axes.size(); ++i) {
            while (try_plainer(i)) {
            }
        }
    }

    bool try_plainer(std::size_t i) {
        return std::ranges::any_of(plainer(plan_.drive.axes[i]), [&](AxisValue& plain) {
            std::vector<AxisValue> axes = plan_.drive.axes;
            axes[i] = std::move(plain);
            return try_axes(std::move(axes));
        });
    }

    bool try_axes(std::vector<AxisValue> axes) {
        Drive drive = plan_.drive;
        drive.axes = std::move(axes);
        return try_drive(std::move(drive));
    }

    bool try_drive(Drive drive) {
        TrialPlan candidate = plan_;
        candidate.most_frames = drive.schedule == plan_.drive.schedule ? plan_.most_frames : 0;
        candidate.drive = std::move(drive);
        const core::Tick until = *clock_.until(result_);
        if (clock_.counts_ticks()) {
            candidate.until = until;
        } else {
            candidate.most_steps = until.value + 1;
        }
        const std::string text = to_string(candidate.drive);
        const core::Digest digest{core::hash_bytes(std::as_bytes(std::span(text))), 0};
        const bool fails = trials_.run(digest, until, [&] { return run(candidate); }).has_value();
        if (fails) {
            plan_.drive = std::move(candidate.drive);
            plan_.most_frames = candidate.most_frames;
        }
        return fails;
    }

    core::Result<RanCandidate> run(const TrialPlan& candidate) {
        return run_(candidate, {}).map([this](const BranchedTrial& trial) {
            return RanCandidate{
                fails_alike(trial.result, result_) ? clock_.when(trial.result) : std::nullopt,
                trial.ticks_run};
        });
    }

    TrialPlan plan_;
    const TrialResult& result_;
    const BranchRunner& run_;
    ShrinkTrials trials_;
    FailureClock clock_;
};

}  // namespace

ShrunkAxes shrink_axes(const TrialPlan& failing, const TrialResult& result, const BranchRunner& run,
                       const ShrinkLimits& limits) {
    return AxisSearch(failing, result, run, limits).search();
}

std::string unfinished(const ShrinkEffort& effort) {
    switch (effort.end) {
        case ShrinkEnd::complete:
            return "";
        case ShrinkEnd::out_of_budget:
            return "the budget of ticks was used up";
        case ShrinkEnd::stopped:
            return "it was interrupted";
        case ShrinkEnd::runner_failed:
            return "a trial could not be run: " +
                   (effort.error ? describe(*effort.error) : std::string("no reason is known"));
    }
    return "";
}

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

// Whether there may be less to blame than these axes, or what memory holds instead.
bool can_be_less(const std::vector<AxisValue>& axes) {
    return axes.size() > 1 || std::ranges::any_of(axes, [](const AxisValue& value) {
               const Axis* axis = find_axis(value.axis);
               return !plainer(value).empty() || (axis != nullptr && !axis->of_memory);
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
    constexpr std::uint64_t kOfMemory = 10;  // values that are tried before anything else is blamed
    const std::uint64_t replays = kUsualShrinkReplays + kOfMemory + 16 * plan.drive.axes.size();
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
