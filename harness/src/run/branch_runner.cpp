#include "branch_runner.hpp"

#include "../axes/axes.hpp"
#include "../system/files.hpp"
#include "../system/posix.hpp"
#include "job.hpp"
#include "messages.hpp"
#include "request_queue.hpp"
#include "trial_runner.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <cstdint>
#include <memory>
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

// Whether two trials do the same up to some frame.

/// Where a trial stands.
struct Position {
    std::uint64_t frames = 0;  ///< that have ended
    std::uint64_t ticks = 0;   ///< in them
};

/// Whether both plans are the same up to there: in their frame times and inputs until then, and in
/// all else. `rate` is the session's.
[[nodiscard]] bool begin_alike(const TrialPlan& a, const TrialPlan& b, Position position,
                               core::TickRate rate);

namespace {

// What must be the same from the beginning to the end.
std::string all_but_its_course(TrialPlan plan) {
    plan.drive.schedule = core::Schedule::nominal();
    plan.inputs.clear();
    plan.until.reset();
    plan.most_steps = 0;
    plan.most_frames = 0;
    return to_bytes(plan);
}

bool same_frames(const TrialPlan& a, const TrialPlan& b, std::uint64_t count, core::TickRate rate) {
    if (a.drive.schedule == b.drive.schedule) {
        return true;
    }
    core::FrameSource frames_of_a = a.drive.schedule.frames(rate);
    core::FrameSource frames_of_b = b.drive.schedule.frames(rate);
    for (std::uint64_t frame = 0; frame < count; ++frame) {
        if (frames_of_a.next() != frames_of_b.next()) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool begin_alike(const TrialPlan& a, const TrialPlan& b, Position position, core::TickRate rate) {
    const core::Tick ticks{position.ticks};
    return cut_before(a.inputs, ticks) == cut_before(b.inputs, ticks) &&
           all_but_its_course(a) == all_but_its_course(b) &&
           same_frames(a, b, position.frames, rate);
}

namespace {

using core::Result;

// Below this, going on from a copy of a process gains less than making it costs.
constexpr std::uint64_t kLeastFramesBetween = 32;
// Each of them holds whatever memory it and those that went on from it have changed since.
constexpr std::size_t kMostWaiting = 64;

/// The processes that wait, each on the way of the one before it.
class Branches {
  public:
    Branches(SimulationName simulation, WorkerOptions options)
        : simulation_(std::move(simulation)), options_(std::move(options)) {}

    Result<BranchedTrial> run(const TrialPlan& plan, std::span<const std::uint64_t> checkpoints) {
        ticks_run_ = 0;
        if (!lane_.has_worker()) {
            waiting_.clear();  // they have ended with it
        }
        if (!rate_) {
            ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan.recording));
            rate_ = reader.head().session.rate;
        }
        ISOTICK_TRY(drop_all_but_shared(plan));
        process_ = process_setup(plan.drive.axes);
        for (const std::uint64_t frames : checkpoints) {
            if (!can_wait_ || waiting_.size() == kMostWaiting ||
                frames < innermost().frames + kLeastFramesBetween) {
                continue;
            }
            auto ended = hold(plan, frames);
            if (!ended || *ended) {
                return std::move(ended).map([](auto&& trial) { return *std::move(trial); });
            }
        }
        return request({simulation_, options_.memory_limit, plan}).map([&](RequestEnd&& end) {
            return ended_trial(end);
        });
    }

  private:
    struct Waiting {
        TrialPlan plan;
        Position position;
    };

    [[nodiscard]] Position innermost() const {
        return waiting_.empty() ? Position{} : waiting_.back().position;
    }

    Result<void> drop_all_but_shared(const TrialPlan& plan) {
        while (!waiting_.empty() &&
               !begin_alike(waiting_.back().plan, plan, waiting_.back().position, *rate_)) {
            ISOTICK_TRY(request({simulation_, options_.memory_limit, DropPlan{}}));
            waiting_.pop_back();
        }
        return {};
    }

    // Lets a process wait before frame `frames` of `plan`, or runs the trial to its end where that
    // comes first or the process cannot be copied.
    Result<std::optional<BranchedTrial>> hold(const TrialPlan& plan, std::uint64_t frames) {
        ISOTICK_TRY_ASSIGN(auto end,
                           request({simulation_, options_.memory_limit, HeldTrial{plan, frames}}));
        const auto ticks = end.finished ? parse_held_response(end.response) : std::nullopt;
        if (!ticks) {
            return ended_trial(end);
        }
        ticks_run_ += *ticks - innermost().ticks;
        waiting_.push_back({plan, {frames, *ticks}});
        return std::nullopt;
    }

    BranchedTrial ended_trial(RequestEnd& end) {
        BranchedTrial trial{trial_result(end, options_), ticks_run_};
        const std::uint64_t before = innermost().ticks;
        const std::uint64_t ticks = trial.result.statistics.ticks;
        trial.ticks_run += ticks < before ? 0 : ticks - before;
        return trial;
    }

    // Runs it where the innermost waiting process is, or from the beginning where none waits.
    Result<RequestEnd> request(const Job& job) {
        const Request bytes{bytes_of(job), process_};
        auto end = run_in_lane(bytes, kind_);
        if (end && end->needs_fresh) {
            can_wait_ = false;
            kind_ = WorkerProcess::Kind::fresh;
            end = run_in_lane(bytes, kind_);
        }
        return end;
    }

    Result<RequestEnd> run_in_lane(const Request& request, WorkerProcess::Kind kind) {
        ISOTICK_TRY(lane_.start(request, kind, options_));
        while (true) {
            wait_to_read(lane_.files(), kLookEveryMs);
            if (auto end = lane_.attend(options_)) {
                return *std::move(end);
            }
        }
    }

    SimulationName simulation_;
    WorkerOptions options_;
    Lane lane_;
    WorkerProcess::Kind kind_ = WorkerProcess::Kind::fork_server;
    ProcessSetup process_;  // of the trials since none waited
    bool can_wait_ = true;
    std::optional<core::TickRate> rate_;  // of the session, once it is known
    std::vector<Waiting> waiting_;
    std::uint64_t ticks_run_ = 0;
};

}  // namespace

BranchRunner branches_in_worker_processes(SimulationName simulation, WorkerOptions options) {
    TrialRunner leave = in_worker_processes(simulation, options);
    auto branches = std::make_shared<Branches>(std::move(simulation), std::move(options));
    return with_left_snapshots(
        [branches](const TrialPlan& plan, std::span<const std::uint64_t> checkpoints) {
            return branches->run(plan, checkpoints);
        },
        std::move(leave));
}

BranchRunner without_branches(TrialRunner run) {
    return [run = std::move(run)](const TrialPlan& plan, std::span<const std::uint64_t>) {
        return run(std::array{plan}, Isolation::forked).map([](std::vector<TrialResult>&& results) {
            BranchedTrial trial{std::move(results.front()), 0};
            trial.ticks_run = trial.result.statistics.ticks;
            return trial;
        });
    };
}

}  // namespace isotick::harness
