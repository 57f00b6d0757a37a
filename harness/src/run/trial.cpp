#include "../axes/axes.hpp"
#include "../explain/differing_parts.hpp"
#include "../observe/field_digest_file.hpp"
#include "../observe/field_watch.hpp"
#include "../observe/state_dump_file.hpp"
#include "branch_point.hpp"
#include "ended_by_error.hpp"
#include "fitting_loop.hpp"
#include "frame_driver.hpp"
#include "planned_end.hpp"
#include "ticks/hash_comparison.hpp"
#include "ticks/tick_cursor.hpp"
#include "ticks/trial_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace isotick::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// One trial under way: fills in a result.
class TrialRun {
  public:
    TrialRun(TrialPlan plan, const isotick_simulation_table& table, Progress& progress,
             std::optional<BranchPoint> branch)
        : plan_(std::move(plan)), table_(table), progress_(progress), branch_(std::move(branch)) {}

    TrialResult run() {
        if (auto ran = open_and_replay(); !ran) {
            end_with(ran.error(), progress_, result_);
        } else {
            conclude();
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
        result_.build_id = std::move(facts.build_id);
        progress_.enter(Activity::creating);
        auto simulation = create(head);
        if (!simulation) {
            return tl::unexpected(with_place(simulation.error(), progress_));
        }
        ISOTICK_TRY_ASSIGN(const auto loop,
                           fitting_loop(table_, head.session.rate, plan_.drive.loop));
        simulation_ = std::move(*simulation);
        ISOTICK_TRY(prepare());
        prepare_to_drive(loop);
        auto replayed =
            settle(replay())
                .and_then([this] { return hashes_->kept(); })
                .map_error([this](const Error& error) { return with_place(error, progress_); });
        note_file();
        result_.part_names = simulation_->part_names();
        result_.unread = unread_by(*simulation_, plan_.drive.axes);
        progress_.enter(Activity::destroying);
        return replayed;
    }

    void note_file() {
        if (reader_->damage() && !result_.divergence) {
            note_damage(*reader_->damage());
        } else if (reader_->is_unfinished()) {
            result_.note = replay::unfinished_text();
        }
    }

    [[nodiscard]] bool goes_back() const {
        return plan_.drive.loop.kind == core::LoopKind::reversible;
    }

    void prepare_to_drive(const core::Loop& loop) {
        // A snapshot is of the state behind all calls so far, so none may wait.
        ticks_.emplace(*reader_, *simulation_, goes_back());
        calls_.emplace(
            *simulation_, progress_, result_.statistics,
            [this](const AwaitedHash& awaited, core::StateHash hash) {
                return hashes_->take(awaited, hash);
            },
            plan_.one_call_at_a_time || plan_.dump || plan_.watch || digests_ || goes_back());
        driver_.emplace(*calls_, loop, plan_.drive.loop,
                        plan_.drive.schedule.frames(reader_->head().session.rate),
                        result_.statistics);
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
        core::SimulationSetup setup = setup_of(head, plan_.environment);
        ISOTICK_TRY(harness::apply(plan_.drive.axes, setup));
        return core::Simulation::create(table_, setup);
    }

    // Whatever can fail before the first call of a tick.
    Result<void> prepare() {
        const auto players = reader_->head().session.players;
        ISOTICK_TRY(open_watch());
        ISOTICK_TRY_ASSIGN(inputs_, TrialInputs::make(plan_, players, branch_.has_value()));
        ISOTICK_TRY_ASSIGN(auto hashes, HashComparison::make(plan_, *simulation_, result_));
        hashes_.emplace(std::move(hashes));
        return {};
    }

    Result<void> open_watch() {
        if (plan_.field_digests) {
            ISOTICK_TRY_ASSIGN(auto file,
                               FieldDigestFile::open(*plan_.field_digests, *simulation_));
            digests_.emplace(std::move(file));
        }
        if (!plan_.watch) {
            return {};
        }
        return FieldWatch::open(*plan_.watch, *simulation_).map([this](FieldWatch&& watch) {
            watch_ = std::move(watch);
        });
    }

    Result<void> replay() {
        if (auto looked = look_at_initial(); !looked || result_.divergence) {
            if (looked) {
                dump_if_wanted(0, true);
            }
            return looked;
        }
        auto more = ticks_->advance();
        const bool at_end = !more || !*more || (plan_.trace && plan_.trace->last == 0);
        dump_if_wanted(0, at_end);
        if (at_end) {
            return more ? Result<void>() : tl::unexpected(more.error());
        }
        over_ = false;
        while (!over_) {
            ISOTICK_TRY(wait_at_branch());
            ISOTICK_TRY(driver_->run_frame([this](std::uint64_t count) { return go_back(count); },
                                           [this](auto dt) { return run_tick(dt); }));
            over_ = over_ || calls_->over();  // an answer that came late, in any call
            if (auto reason = frames_used_up(plan_.most_frames, result_.statistics);
                !over_ && reason) {
                inconclusive(*std::move(reason));
                return {};
            }
        }
        return {};
    }

    Result<void> wait_at_branch() {
        if (!branch_ || branch_->before_frame != result_.statistics.frames ||
            simulation_->queues_calls()) {
            return {};
        }
        std::optional<BranchPoint::Way> way = branch_->wait(result_.statistics);
        if (!way) {
            branch_.reset();
            return {};
        }
        plan_ = std::move(way->plan);
        driver_->go_on_with(plan_.drive.schedule.frames(reader_->head().session.rate));
        branch_->before_frame = way->wait_before.value_or(kNever);
        return inputs_->continue_with(plan_);
    }

    [[nodiscard]] std::uint64_t steps() const { return result_.statistics.ticks; }

    // Notes what is about to be done to a state.
    void enter(Activity activity, std::uint64_t ticks_done) {
        progress_.enter({activity, core::Tick{ticks_done == 0 ? 0 : ticks_done - 1}, steps()});
    }

    // Returns how many ticks were undone.
    Result<std::uint64_t> go_back(std::uint64_t count) {
        if (count == 0) {
            return 0;
        }
        enter(Activity::restoring, ticks_->tick().value);
        return ticks_->go_back(count).map([this](std::uint64_t undone) {
            if (undone > 0) {
                count_load(result_.statistics, undone);
                calls_->go_back_to(ticks_->tick());
            }
            return undone;
        });
    }

    Result<void> keep_state() {
        if (goes_back()) {
            enter(Activity::saving, ticks_->tick().value);
        }
        return ticks_->about_to_step(steps() + 1);
    }

    // By `dt` where the loop changes it, else as it was recorded.
    Result<bool> run_tick(std::optional<core::TickDt> dt) {
        const core::Tick tick = ticks_->tick();
        ISOTICK_TRY(keep_state());
        const auto inputs = inputs_->of_tick(tick, ticks_->inputs(), result_.statistics);
        ISOTICK_TRY(calls_->step(tick, inputs, dt ? dt : ticks_->dt()));
        ISOTICK_TRY(watch(tick));
        ISOTICK_TRY(look_at_state(tick));
        over_ = result_.divergence ||
                is_last_wanted(plan_, tick, steps(), *driver_, reader_->indexed_ticks());
        auto more = over_ ? Result<bool>(false) : ticks_->advance();
        over_ = !more || !*more;
        dump_if_wanted(tick.value + 1, over_);
        over_ = over_ || result_.dump_failed;
        return more && *more && over_ ? Result<bool>(false) : more;
    }

    // Before the state is hashed: hashing may crash, and then it is wanted most.
    Result<void> watch(core::Tick tick) {
        ISOTICK_TRY(digest_fields(tick.value + 1));
        if (!watch_) {
            return {};
        }
        progress_.enter({Activity::showing_fields, tick, steps()});
        return watch_->look(*simulation_, tick);
    }

    Result<void> digest_fields(std::uint64_t ticks_done) {
        if (!digests_) {
            return {};
        }
        enter(Activity::showing_fields, ticks_done);
        return digests_->look(*simulation_, ticks_done);
    }

    // After a failure of the simulation's nothing more may be asked of it.
    void dump_if_wanted(std::uint64_t ticks_done, bool is_last) {
        keep_diverged_state(ticks_done);
        if (!plan_.dump || (plan_.dump->steps ? *plan_.dump->steps != steps() : !is_last)) {
            return;
        }
        enter(Activity::showing_fields, ticks_done);
        if (auto written = write_state_dump(*simulation_, ticks_done, plan_.dump->path)) {
            result_.dumped = true;
        } else {
            result_.dump_failed = written.error();
        }
    }

    // Where answers lag behind, the simulation has gone on when a hash is seen to be wrong.
    void keep_diverged_state(std::uint64_t ticks_done) {
        if (plan_.keep_diverged_state && result_.divergence &&
            result_.divergence->computed.steps == steps()) {
            enter(Activity::showing_fields, ticks_done);
            result_.diverged_state = state_dump(*simulation_, ticks_done, kLargestKeptState);
        }
    }

    Result<void> look_at_state(core::Tick tick) {
        return look_at({tick.value + 1, driver_->context(), ticks_->state_hash(),
                        ticks_->part_hashes(), steps(), ticks_->rerun(steps())});
    }

    Result<void> look_at_initial() {
        ISOTICK_TRY(digest_fields(0));
        const replay::TickHashes initial = reader_->initial();
        auto looked = look_at({0, {}, initial.state, initial.parts}).and_then([this] {
            return calls_->settle_all();
        });
        if (looked && !plan_.trace && !digests_ &&
            simulation_->part_names() != reader_->head().part_names) {
            result_.divergence.reset();  // their hashes cannot be the same
            return core::fail(ErrorCode::usage, changed_parts_text(reader_->head().part_names,
                                                                   simulation_->part_names()));
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

    void note_damage(const replay::Damage& damage) {
        result_.verdict = Verdict::unreadable;
        result_.damaged_at = damage.offset;
        result_.reason = "damaged at byte " + std::to_string(damage.offset) + ": " + damage.reason +
                         "; the " + std::to_string(result_.statistics.ticks) +
                         " ticks before it are intact and were replayed";
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
    std::optional<core::Simulation> simulation_;
    std::optional<TickCursor> ticks_;
    std::optional<CallPipeline> calls_;
    std::optional<FrameDriver> driver_;
    std::optional<FieldWatch> watch_;
    std::optional<FieldDigestFile> digests_;
    std::optional<HashComparison> hashes_;
    std::optional<TrialInputs> inputs_;
    bool over_ = true;
};

// A simulation that was asked for many calls at once may have failed in any of them: asked one by
// one, it fails in the one that counts.
TrialResult placed(TrialResult failed, const TrialPlan& plan, const isotick_simulation_table& table,
                   Progress& progress) {
    TrialPlan one_by_one = plan;
    one_by_one.one_call_at_a_time = true;
    TrialResult again = TrialRun(one_by_one, table, progress, std::nullopt).run();
    return again.verdict == Verdict::identical ? failed : again;
}

TrialResult run(const TrialPlan& plan, const isotick_simulation_table& table, Progress& progress,
                const std::optional<BranchPoint>& branch) {
    try {
        TrialResult result = TrialRun(plan, table, progress, branch).run();
        const bool ahead = (table.info->capabilities & ISOTICK_QUEUES_CALLS) != 0;
        return ahead && result.verdict == Verdict::crashed && !plan.one_call_at_a_time
                   ? placed(std::move(result), plan, table, progress)
                   : result;
    } catch (const std::exception& thrown) {
        TrialResult result;
        result.verdict = Verdict::crashed;
        result.reason = std::string("the trial itself failed: ") + thrown.what();
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

}  // namespace isotick::harness
