#include "../../axes/axes.hpp"
#include "../../platform/pipes.hpp"
#include "../job.hpp"
#include "../lane.hpp"
#include "../trial_response.hpp"
#include "left_snapshots.hpp"
#include "shared_beginning.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/worker/branch_runner.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace isotick::harness {
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
