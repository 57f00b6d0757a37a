#include "trial.hpp"

#include "../axes/axes.hpp"
#include "../system/preload.hpp"
#include "../system/system_calls.hpp"
#include "course_walk.hpp"
#include "frame_driver.hpp"
#include "hash_comparison.hpp"
#include "other_instance.hpp"
#include "state_observers.hpp"
#include "tick_cursor.hpp"
#include "trial_end.hpp"
#include "varied_calls.hpp"
#include "verdict.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/process_simulation.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace isotick::harness {

// A trial, from the opening of its recording to its verdict.

/// Runs `plan` once, waiting at `branch`. Throws what the harness itself does.
[[nodiscard]] TrialResult run_once(const TrialPlan& plan, const isotick_simulation_table& table,
                                   Progress& progress, const std::optional<BranchPoint>& branch);

namespace {

// A simulation that was asked for many calls at once may have failed in any of them: asked one by
// one, it fails in the one that counts.
TrialResult placed(TrialResult failed, const TrialPlan& plan, const isotick_simulation_table& table,
                   Progress& progress) {
    TrialPlan one_by_one = plan;
    one_by_one.one_call_at_a_time = true;
    TrialResult again = run_once(one_by_one, table, progress, std::nullopt);
    return again.verdict == Verdict::identical ? failed : again;
}

TrialResult run(const TrialPlan& plan, const isotick_simulation_table& table, Progress& progress,
                const std::optional<BranchPoint>& branch) {
    try {
        if (const auto lived = run_instance_before(plan, table, progress); !lived) {
            TrialResult result;
            end_with(lived.error(), progress.place(), result);
            return result;
        }
        ProcessSimulation::take_notes(table);
        TrialResult result = run_once(plan, table, progress, branch);
        auto [bad_end, shortage, reached] = ProcessSimulation::take_notes(table);
        result.bad_end = std::move(bad_end);
        if (plan.notes_reached && !reached.empty()) {
            result.reached = std::move(reached);
        }
        if (shortage) {
            end_with_shortage(*std::move(shortage), result);
        }
        const bool ahead = (table.info->capabilities & ISOTICK_QUEUES_CALLS) != 0;
        return ahead && result.verdict == Verdict::crashed && !plan.one_call_at_a_time
                   ? placed(std::move(result), plan, table, progress)
                   : result;
    } catch (const std::system_error& thrown) {  // a simulation's own are caught before
        TrialResult result;
        errno = thrown.code().value();
        end_with_shortage(system_failure("cannot start a thread").value(), result);
        return result;
    } catch (const std::exception& thrown) {
        TrialResult result;
        end_with(core::caught(thrown, core::ErrorCode::simulation, "the trial itself failed: "),
                 progress.place(), result);
        return result;
    }
}

}  // namespace

InputEdits without_inputs() {
    return {{.first = {}, .last = core::Tick{std::numeric_limits<std::uint64_t>::max()}}};
}

std::string describe_state(std::uint64_t ticks_done) {
    return ticks_done == 0 ? "the initial state" : "tick " + std::to_string(ticks_done - 1);
}

TrialResult run_trial(const TrialPlan& plan, const isotick_simulation_table& table,
                      Progress& progress) {
    return run(plan, table, progress, std::nullopt);
}

TrialResult run_branching_trial(const TrialPlan& plan, const isotick_simulation_table& table,
                                Progress& progress, const BranchPoint& branch) {
    return run(plan, table, progress, branch);
}

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::uint64_t kNever = UINT64_MAX;

/// One trial under way: fills in a result.
class TrialRun {
  public:
    TrialRun(TrialPlan plan, const isotick_simulation_table& table, Progress& progress,
             std::optional<BranchPoint> branch)
        : plan_(std::move(plan)), table_(table), progress_(progress), branch_(std::move(branch)) {}

    TrialResult run() {
        try {
            if (auto ran = open_and_replay(); !ran) {
                end_with(ran.error(), failed_at_.value_or(progress_.place()), result_);
            } else {
                conclude();
            }
        } catch (const std::exception& thrown) {
            end_with(core::caught(thrown, ErrorCode::simulation, "the trial itself failed: "),
                     progress_.place(), result_);
        }
        if (branch_ && branch_->ended) {
            branch_->ended(result_);
        }
        return std::move(result_);
    }

  private:
    Result<void> open_and_replay() {
        ISOTICK_TRY_ASSIGN(reader_, replay::Reader::open(plan_.recording));
        const replay::RecordingHead& head = reader_->head();
        SimulationFacts facts = facts_of(table_);
        ISOTICK_TRY(plan_.field_digests ? check_session(head, facts) : check_match(head, facts));
        result_.calls = facts.calls;
        result_.capabilities = facts.capabilities;
        result_.build_id = std::move(facts.build_id);
        ISOTICK_TRY_ASSIGN(const auto frames, host_frames());
        progress_.enter(Activity::creating);
        auto created = create(head);
        if (!created) {
            return tl::unexpected(with_place(created.error(), progress_));
        }
        take_simulation(std::move(*created));
        ISOTICK_TRY(prepare());
        prepare_to_drive(frames);
        auto replayed =
            settle(replay())
                .and_then([this] { return hashes_->kept(); })
                .and_then([this] { return output_ ? output_->close() : Result<void>(); })
                .map_error([this](const Error& error) {
                    failed_at_ = progress_.place();
                    return with_place(error, progress_);
                });
        note_end_of(*reader_, result_);
        result_.part_names = simulation().part_names();
        result_.unread = unread_by(simulation(), plan_.drive.axes);
        result_.reads = preload::reads();
        if (simulation().queues_calls()) {  // it lags behind: these places are not its own
            for (SystemReads& one : result_.reads) {
                for (SystemCall& call : one.first) {
                    call.place = {};
                }
            }
        }
        progress_.enter(Activity::destroying);
        return replayed;
    }

    Result<HostFrames> host_frames() {
        const auto& session = reader_->head().session;
        ISOTICK_TRY_ASSIGN(course_, CourseWalk::open(plan_, table_, session.players));
        if (course_) {
            return HostFrames(course_->course());
        }
        ISOTICK_TRY_ASSIGN(auto loop, fitting_loop(table_, session.rate, plan_.drive.loop));
        return HostFrames(std::move(loop), plan_.drive.schedule.frames(session.rate));
    }

    [[nodiscard]] TickMemory memory() const {
        if (course_) {
            return course_->saves() ? TickMemory::as_told : TickMemory::none;
        }
        return plan_.drive.loop.kind == core::LoopKind::reversible ? TickMemory::latest
                                                                   : TickMemory::none;
    }

    void take_simulation(core::Simulation simulation) {
        // A snapshot is of the state behind all calls so far: a loop that goes back takes one
        // before each step, so that none may wait.
        const bool each_waits = plan_.one_call_at_a_time || StateObservers::wanted_by(plan_) ||
                                memory() == TickMemory::latest ||
                                (plan_.course && !plan_.course->recording.empty());
        calls_.emplace(
            std::move(simulation), progress_, result_.statistics,
            [this](const AwaitedHash& awaited, core::StateHash hash) {
                if (output_) {
                    output_->note_hash(awaited.steps, hash);
                }
                return hashes_->take(awaited, hash);
            },
            each_waits, core::Tick{first_tick()});
    }

    [[nodiscard]] std::uint64_t first_tick() const {
        return course_ ? course_->course().first_tick : 0;
    }

    [[nodiscard]] core::Simulation& simulation() { return calls_->simulation(); }

    void prepare_to_drive(const HostFrames& frames) {
        ticks_.emplace(*reader_, *calls_, *inputs_, memory());
        const bool own_thread = !course_ && core::info_of(plan_.drive.loop.kind).own_thread;
        driver_.emplace(*calls_, frames, own_thread, result_.statistics);
        if (course_) {
            output_.emplace(*plan_.course, *course_, *calls_, result_);
        }
    }

    // Waits for what is still under way: it came before whatever ended the replay.
    Result<void> settle(Result<void> replayed) {
        if (replayed || replayed.error().code != ErrorCode::simulation) {
            if (auto settled = calls_->settle_all(); !settled || result_.divergence) {
                return settled;
            }
        }
        return replayed;
    }

    Result<core::Simulation> create(const replay::RecordingHead& head) {
        if (const auto seed = other_instances(plan_.drive.axes).seed_beside) {
            ISOTICK_TRY_ASSIGN(beside_, InstancesBeside::create(plan_, head, table_, *seed));
        }
        return trial_simulation_.create(table_, plan_.drive.axes, setup_of(head, plan_.environment),
                                        branch_.has_value(), plan_.usual_place);
    }

    // Whatever can fail before the first call of a tick.
    Result<void> prepare() {
        const auto players = reader_->head().session.players;
        observers_.emplace(plan_, *calls_, result_);
        ISOTICK_TRY(observers_->open());
        ISOTICK_TRY_ASSIGN(inputs_, TrialInputs::make(plan_, players, branch_.has_value()));
        ISOTICK_TRY_ASSIGN(auto hashes, HashComparison::make(plan_, simulation(), result_));
        hashes_.emplace(std::move(hashes));
        return {};
    }

    Result<void> replay() {
        ISOTICK_TRY_ASSIGN(const std::uint64_t ticks_done, look_at_first());
        if (result_.divergence) {
            observers_->dump(ticks_done, true);
            return {};
        }
        ISOTICK_TRY(output_ ? output_->begin(reader_->head()) : Result<void>());
        ISOTICK_TRY_ASSIGN(const bool more, ticks_->advance());
        const bool at_end = is_over_before_a_step() || (!course_ && !more);
        observers_->dump(ticks_done, at_end || (course_ && course_->is_over_with(0)));
        if (at_end) {
            return {};
        }
        over_ = false;
        observers_->watch_writes();
        while (!over_ && !driver_->at_end()) {
            ISOTICK_TRY(wait_at_branch());
            ISOTICK_TRY(trial_simulation_.before_frame(result_.statistics.frames, simulation()));
            ISOTICK_TRY(driver_->run_frame([this](std::uint64_t count) { return go_back(count); },
                                           [this](auto dt) { return run_tick(dt); }));
            over_ = over_ || calls_->over();  // an answer that came late, in any call
            if (over_ || (course_ && plan_.most_frames == 0)) {
                continue;
            }
            if (auto reason = frames_used_up(plan_.most_frames, result_.statistics)) {
                inconclusive(*std::move(reason));
                return {};
            }
        }
        return {};
    }

    [[nodiscard]] bool is_over_before_a_step() const {
        return (plan_.trace && plan_.trace->last == 0) || (course_ && course_->ends_early_with(0));
    }

    Result<void> wait_at_branch() {
        if (!branch_ || branch_->before_frame != result_.statistics.frames ||
            simulation().queues_calls() || course_) {
            return {};
        }
        std::optional<BranchPoint::Way> way = branch_->wait(result_.statistics);
        if (!way) {
            branch_.reset();
            return {};
        }
        branch_->before_frame = way->wait_before.value_or(kNever);
        return way->plan ? take_over(*std::move(way->plan)) : Result<void>();
    }

    // From here on this trial is the one that `plan` describes, as far as a trial under way can
    // become another: whatever its drive varies from this frame on is switched on here.
    Result<void> take_over(TrialPlan plan) {
        plan_ = std::move(plan);
        trial_simulation_.go_on_with(plan_.drive.axes);
        driver_->go_on_with(frames_behind(plan_.drive.schedule, result_.statistics.frames,
                                          reader_->head().session.rate));
        return inputs_->continue_with(plan_);
    }

    [[nodiscard]] std::uint64_t steps() const { return result_.statistics.ticks; }

    // Returns how many ticks were undone.
    Result<std::uint64_t> go_back(std::uint64_t count) {
        ISOTICK_TRY(count == 0 ? Result<void>() : calls_->settle_all());
        if (count == 0 || calls_->over()) {
            return 0;
        }
        return ticks_->go_back(count).map([this](std::uint64_t undone) {
            if (undone > 0) {
                count_load(result_.statistics, undone);
            }
            return undone;
        });
    }

    // False where the trial is over instead.
    Result<bool> prepare_step() {
        if (course_ && (calls_->over() || ticks_->at_end())) {
            return ends_before_step();
        }
        const bool saves = course_ ? course_->step(steps()).saves : simulation().can_save();
        if (saves && memory() != TickMemory::none) {
            ISOTICK_TRY(calls_->settle_all());
            if (calls_->over()) {
                return false;
            }
        }
        ISOTICK_TRY(ticks_->about_to_step(steps() + 1, saves));
        if (course_ && course_->step(steps()).reloads) {
            ISOTICK_TRY(ticks_->reload());
            count_load(result_.statistics, 0);
        }
        return true;
    }

    [[nodiscard]] Result<bool> ends_before_step() const {
        if (calls_->over() || reader_->damage()) {
            return false;
        }
        return core::fail(ErrorCode::usage, "the course runs tick " +
                                                std::to_string(ticks_->tick().value) +
                                                ", which the recording does not have");
    }

    // By `dt` where the loop changes it, else as it was recorded.
    Result<bool> run_tick(std::optional<core::TickDt> dt) {
        if (auto goes_on = prepare_step(); !goes_on || !*goes_on) {
            over_ = true;
            return goes_on;
        }
        const core::Tick tick = ticks_->tick();
        const bool is_final = !course_ || course_->step(steps()).final;
        result_.statistics.inputs_present += ticks_->inputs_present();
        result_.statistics.final_steps += course_ && is_final ? 1U : 0U;
        const auto inputs = course_ ? course_->inputs(steps(), ticks_->inputs()) : ticks_->inputs();
        ISOTICK_TRY(observers_->during_step(
            [&] { return calls_->step(tick, inputs, dt ? dt : ticks_->dt()); }));
        ISOTICK_TRY(beside_ ? beside_->step(inputs, ticks_->dt()) : Result<void>());
        ISOTICK_TRY(look_at_state(tick, is_final));
        ISOTICK_TRY(is_final && output_ ? output_->take(tick, inputs, ticks_->dt())
                                        : Result<void>());
        over_ = result_.divergence || is_last(tick);
        ISOTICK_TRY_ASSIGN(const bool more, over_ ? Result<bool>(false) : advance());
        observers_->dump(tick.value + 1, !more || (course_ && course_->is_over_with(steps())));
        over_ = !more || result_.dump_failed;
        if (!over_) {
            observers_->watch_writes();
        }
        return !over_;
    }

    [[nodiscard]] bool is_last(core::Tick tick) const {
        return course_ ? course_->ends_early_with(steps())
                       : is_last_wanted(plan_, tick, steps(), *driver_, reader_->indexed_ticks());
    }

    // A course goes on where the recording ends: it may go back.
    Result<bool> advance() {
        auto more = ticks_->advance();
        if (!course_ || !more) {
            return more;
        }
        ticks_->forget_before(course_->first_needed(driver_->context().frame));
        return true;
    }

    // Watched fields come before the state is hashed: hashing may crash, and then they are wanted
    // most.
    Result<void> look_at_state(core::Tick tick, bool is_final) {
        ISOTICK_TRY(is_final ? observers_->digest(tick.value + 1) : Result<void>());
        ISOTICK_TRY(observers_->watch(tick));
        if (!is_final && !plan_.trace) {
            return {};
        }
        return look_at({tick.value + 1, driver_->context(), ticks_->state_hash(),
                        ticks_->part_hashes(), steps(), ticks_->rerun(steps())});
    }

    // Returns how many ticks made the state that the trial begins with.
    Result<std::uint64_t> look_at_first() {
        ISOTICK_TRY(first_tick() == 0 ? look_at_initial() : join(first_tick()));
        return first_tick();
    }

    Result<void> join(std::uint64_t first) {
        ISOTICK_TRY_ASSIGN(const RecordedState recorded, ticks_->skip(first));
        ISOTICK_TRY(load_join_state(plan_.course->begin_from, first, *calls_));
        ISOTICK_TRY(observers_->digest(first));
        ISOTICK_TRY(look_at({first, {}, recorded.hash, recorded.parts}));
        return calls_->settle_all();
    }

    Result<void> look_at_initial() {
        ISOTICK_TRY(observers_->digest(0));
        const replay::TickHashes initial = reader_->initial();
        auto looked = look_at({0, {}, initial.state, initial.parts}).and_then([this] {
            return calls_->settle_all();
        });
        if (looked && !plan_.trace && !observers_->has_digests() &&
            simulation().part_names() != reader_->head().part_names) {
            result_.divergence.reset();  // their hashes cannot be the same
            return core::fail(ErrorCode::usage, changed_parts_text(reader_->head().part_names,
                                                                   simulation().part_names()));
        }
        return looked;
    }

    // Has the state hashed, where its hash is wanted.
    Result<void> look_at(AwaitedHash state) {
        ISOTICK_TRY_ASSIGN(const bool wanted, hashes_->wants(state));
        return wanted ? calls_->hash(state) : Result<void>();
    }

    void inconclusive(std::string reason) {
        result_.verdict = Verdict::inconclusive;
        result_.reason = std::move(reason);
    }

    void conclude() {
        if (result_.divergence) {
            result_.verdict = Verdict::diverged;
            result_.reason.clear();  // of an end that came after it
        } else if (result_.verdict == Verdict::identical && !hashes_->keeps() &&
                   result_.statistics.hashes_compared == 0) {
            inconclusive("no tick's hash was compared");
        }
    }

    TrialPlan plan_;
    const isotick_simulation_table& table_;
    Progress& progress_;
    std::optional<BranchPoint> branch_;
    TrialResult result_;
    std::optional<replay::Reader> reader_;
    TrialSimulation trial_simulation_;  // outlives calls_
    std::optional<CallPipeline> calls_;
    std::optional<InstancesBeside> beside_;
    std::optional<TickCursor> ticks_;
    std::optional<FrameDriver> driver_;
    std::optional<StateObservers> observers_;
    std::optional<HashComparison> hashes_;
    std::optional<TrialInputs> inputs_;
    std::optional<CourseWalk> course_;
    std::optional<CourseOutput> output_;  // of a peer with a course
    std::optional<Place> failed_at_;      // before the simulation is destroyed
    bool over_ = true;
};

}  // namespace

TrialResult run_once(const TrialPlan& plan, const isotick_simulation_table& table,
                     Progress& progress, const std::optional<BranchPoint>& branch) {
    return TrialRun(plan, table, progress, branch).run();
}

}  // namespace isotick::harness
