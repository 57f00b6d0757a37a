#include "left_snapshots.hpp"

#include "../../axes/axes.hpp"
#include "../../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/course_file.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kNoState = UINT64_MAX;

/// A trial that leaves a snapshot for another one, and the files between the two.
struct Leaving {
    std::size_t for_trial = 0;  // among those of a batch
    TrialPlan plan;
    SharedFile course;
    SharedFile snapshot;
};

// The rest of the session is none of its business, nor is what there is to look at.
TrialPlan leaving_plan(const TrialPlan& trial, CourseRequest course) {
    TrialPlan plan;
    plan.recording = trial.recording;
    plan.environment = trial.environment;
    plan.drive.axes = trial.drive.axes;
    std::erase_if(plan.drive.axes, [](const AxisValue& value) { return have_course({value}); });
    plan.inputs = trial.inputs;
    plan.trace = StateRange{kNoState, kNoState};
    plan.course = std::move(course);
    return plan;
}

// None where the trial begins from no snapshot, or cannot: it says why itself.
Result<std::optional<Leaving>> leaving_for(const TrialPlan& trial) {
    if (trial.course || !other_instances(trial.drive.axes).leave_snapshot) {
        return std::nullopt;
    }
    const auto course = course_of(trial.drive.axes, trial.recording);
    const auto reader = replay::Reader::open(trial.recording);
    if (!course || !*course || !reader) {
        return std::nullopt;
    }
    const std::uint64_t ticks = (*course)->first_tick;
    ISOTICK_TRY_ASSIGN(auto course_file, SharedFile::make());
    ISOTICK_TRY_ASSIGN(auto snapshot, SharedFile::make());
    ISOTICK_TRY(
        write_course(course_file.path(), nominal_course(reader->head().session.rate, 0, ticks)));
    TrialPlan plan = leaving_plan(trial, {course_file.path(), {{snapshot.path(), ticks}}, {}, {}});
    return Leaving{0, std::move(plan), std::move(course_file), std::move(snapshot)};
}

}  // namespace

TrialRunner with_left_snapshots(TrialRunner run, TrialRunner leave) {
    return [run = std::move(run), leave = std::move(leave)](
               std::span<const TrialPlan> plans,
               Isolation isolation) -> Result<std::vector<TrialResult>> {
        std::vector<Leaving> leaving;
        std::vector<TrialPlan> before;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            ISOTICK_TRY_ASSIGN(auto one, leaving_for(plans[i]));
            if (one) {
                one->for_trial = i;
                before.push_back(one->plan);
                leaving.push_back(*std::move(one));
            }
        }
        if (leaving.empty()) {
            return run(plans, isolation);
        }
        std::vector<TrialPlan> trials(plans.begin(), plans.end());
        for (const Leaving& one : leaving) {
            trials[one.for_trial].course.emplace().begin_from = one.snapshot.path();
        }
        ISOTICK_TRY_ASSIGN(auto left, leave(before, Isolation::fresh));
        ISOTICK_TRY_ASSIGN(auto results, run(trials, isolation));
        for (std::size_t i = 0; i < leaving.size(); ++i) {
            if (left[i].verdict != Verdict::identical || left[i].refused) {
                results[leaving[i].for_trial] = std::move(left[i]);
            }
        }
        return results;
    };
}

BranchRunner with_left_snapshots(BranchRunner run, TrialRunner leave) {
    return [run = std::move(run), leave = std::move(leave)](
               const TrialPlan& plan,
               std::span<const std::uint64_t> checkpoints) -> Result<BranchedTrial> {
        ISOTICK_TRY_ASSIGN(auto leaving, leaving_for(plan));
        if (!leaving) {
            return run(plan, checkpoints);
        }
        TrialPlan trial = plan;
        trial.course.emplace().begin_from = leaving->snapshot.path();
        ISOTICK_TRY_ASSIGN(auto left, leave({&leaving->plan, 1}, Isolation::fresh));
        if (left.front().verdict != Verdict::identical || left.front().refused) {
            return BranchedTrial{std::move(left.front()), 0};
        }
        return run(trial, checkpoints);
    };
}

}  // namespace isotick::harness
