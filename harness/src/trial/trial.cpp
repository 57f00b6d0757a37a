#include "field_watch.hpp"
#include "frame_driver.hpp"
#include "state_dump_file.hpp"

#include <isotick/core/joined.hpp>
#include <isotick/harness/match.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/recorded_ticks.hpp>

#include <exception>
#include <utility>

namespace isotick::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// One trial under way: fills in a result.
class TrialRun {
  public:
    TrialRun(const TrialPlan& plan, const isotick_simulation_table& table, Progress& progress)
        : plan_(plan), table_(table), progress_(progress) {}

    TrialResult run() {
        if (auto ran = open_and_replay(); !ran) {
            take_failure(ran.error());
        } else {
            conclude();
        }
        return std::move(result_);
    }

  private:
    Result<void> open_and_replay() {
        auto reader = replay::Reader::open(plan_.recording);
        if (!reader) {
            return tl::unexpected(reader.error());
        }
        reader_ = std::move(*reader);
        const replay::RecordingHead& head = reader_->head();
        if (auto whole = replay::check_whole(reader_->first_tick()); !whole) {
            return whole;
        }
        if (auto fits = check_match(head, facts_of(table_)); !fits) {
            return fits;
        }
        progress_.enter(Activity::creating);
        auto simulation = create(head);
        if (!simulation) {
            return tl::unexpected(with_place(simulation.error(), progress_));
        }
        auto loop = core::AccumulatorLoop::make(head.session.rate, plan_.loop);
        if (!loop) {
            return core::fail(ErrorCode::usage, loop.error().message);
        }
        simulation_ = std::move(*simulation);
        if (auto watching = open_watch(); !watching) {
            return watching;
        }
        prepare_to_drive(*loop);
        auto replayed = settle(replay()).map_error(
            [this](const Error& error) { return with_place(error, progress_); });
        note_file(replayed.has_value());
        result_.part_names = simulation_->part_names();
        progress_.enter(Activity::destroying);
        return replayed;
    }

    // What the file lacks, where that limits the verdict.
    void note_file(bool replayed) {
        if (reader_->damage() && !result_.divergence) {
            note_damage(*reader_->damage());
        } else if (replayed && !reader_->has_tail()) {
            result_.note =
                "the recording has no tail: its writer was interrupted, or it is damaged";
        }
    }

    void prepare_to_drive(const core::AccumulatorLoop& loop) {
        ticks_.emplace(*reader_);
        calls_.emplace(
            *simulation_, progress_, result_.statistics,
            [this](const AwaitedHash& awaited, core::StateHash hash) {
                return take(awaited, hash);
            },
            plan_.one_call_at_a_time || plan_.dump || plan_.watch);
        driver_.emplace(*calls_, loop, plan_.schedule.frames(reader_->head().session.rate),
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
        return apply(plan_.varied, setup).and_then([&] {
            return core::Simulation::create(table_, setup);
        });
    }

    Result<void> open_watch() {
        if (!plan_.watch) {
            return {};
        }
        return FieldWatch::open(*plan_.watch, *simulation_).map([this](FieldWatch&& watch) {
            watch_ = std::move(watch);
        });
    }

    Result<void> replay() {
        if (auto compared = compare_initial(); !compared || result_.divergence) {
            if (compared) {
                dump_if_wanted(0, true);
            }
            return compared;
        }
        auto more = ticks_->advance();
        const bool at_end = !more || !*more || past_end();
        dump_if_wanted(0, at_end);
        if (at_end) {
            return more ? Result<void>() : tl::unexpected(more.error());
        }
        const auto nothing = [] { return Result<void>(); };
        over_ = false;
        while (!over_) {
            if (auto framed = driver_->run_frame(nothing, [this] { return run_tick(); }); !framed) {
                return framed;
            }
            over_ = over_ || calls_->over();  // an answer that came late, in any call
            if (!over_ && out_of_frames()) {
                return {};
            }
        }
        return {};
    }

    [[nodiscard]] bool past_end() const { return plan_.trace && plan_.trace->last == 0; }

    Result<bool> run_tick() {
        const core::Tick tick = ticks_->tick();
        if (auto stepped = calls_->step(tick, inputs_of_tick(), ticks_->dt()); !stepped) {
            return tl::unexpected(stepped.error());
        }
        if (auto watched = watch(tick); !watched) {
            return tl::unexpected(watched.error());
        }
        if (auto looked = look_at_state(tick); !looked) {
            return tl::unexpected(looked.error());
        }
        const bool last_wanted = (plan_.until && tick >= *plan_.until) ||
                                 (plan_.trace && tick.value + 1 >= plan_.trace->last);
        over_ = result_.divergence || last_wanted;
        auto more = over_ ? Result<bool>(false) : ticks_->advance();
        over_ = !more || !*more;
        dump_if_wanted(tick.value + 1, over_);
        over_ = over_ || result_.dump_failed;
        return more && *more && over_ ? Result<bool>(false) : more;
    }

    // Before the state is hashed: hashing may crash, and then it is wanted most.
    Result<void> watch(core::Tick tick) {
        if (!watch_) {
            return {};
        }
        progress_.enter(Activity::showing_fields, tick);
        return watch_->look(*simulation_, tick);
    }

    // After a failure of the simulation's nothing more may be asked of it.
    void dump_if_wanted(std::uint64_t ticks_done, bool is_last) {
        if (!plan_.dump ||
            (plan_.dump->ticks_done ? *plan_.dump->ticks_done != ticks_done : !is_last)) {
            return;
        }
        progress_.enter(Activity::showing_fields, core::Tick{ticks_done == 0 ? 0 : ticks_done - 1});
        if (auto written = write_state_dump(*simulation_, ticks_done, plan_.dump->path)) {
            result_.dumped = true;
        } else {
            result_.dump_failed = written.error();
        }
    }

    std::span<const isotick_input> inputs_of_tick() {
        const std::span<const isotick_input> recorded = ticks_->inputs();
        for (const isotick_input& input : recorded) {
            result_.statistics.inputs_present += input.present;
        }
        if (!plan_.without_inputs) {
            return recorded;
        }
        blank_.assign(recorded.begin(), recorded.end());
        for (isotick_input& input : blank_) {
            input = {input.player, 0, 0, nullptr};
        }
        return blank_;
    }

    Result<void> look_at_state(core::Tick tick) {
        const std::uint64_t ticks_done = tick.value + 1;
        if (plan_.trace) {
            const bool wanted = ticks_done >= plan_.trace->first && ticks_done <= plan_.trace->last;
            return wanted ? keep_state(ticks_done) : Result<void>();
        }
        const std::optional<core::StateHash> recorded = ticks_->state_hash();
        if (!recorded) {
            return {};
        }
        return compare(ticks_done, *recorded, ticks_->part_hashes());
    }

    Result<void> compare_initial() {
        if (plan_.trace) {
            return plan_.trace->first == 0 ? keep_state(0) : Result<void>();
        }
        const replay::TickHashes initial = reader_->initial();
        auto compared = compare(0, initial.state, initial.parts).and_then([this] {
            return calls_->settle_all();
        });
        if (compared && simulation_->part_names() != reader_->head().part_names) {
            return core::fail(ErrorCode::usage, "the recording's parts are " +
                                                    core::joined(reader_->head().part_names) +
                                                    "; the simulation's are " +
                                                    core::joined(simulation_->part_names()));
        }
        return compared;
    }

    Result<void> keep_state(std::uint64_t ticks_done) {
        return calls_->hash({ticks_done, driver_->context(), {}, {}});
    }

    Result<void> compare(std::uint64_t ticks_done, core::StateHash recorded,
                         std::span<const core::PartHash> recorded_parts) {
        return calls_->hash({ticks_done, driver_->context(), recorded, recorded_parts});
    }

    // False where the trial ends with this state.
    bool take(const AwaitedHash& awaited, core::StateHash computed) {
        if (!awaited.recorded) {
            result_.trace.push_back(state_of(awaited, computed));
            return true;
        }
        TrialStatistics& statistics = result_.statistics;
        std::optional<core::StateHash>& last = result_.last_hash;
        statistics.hash_changed = statistics.hash_changed || (last && *last != computed);
        last = computed;
        statistics.hashes_compared += awaited.ticks_done == 0 ? 0 : 1;
        if (computed == *awaited.recorded) {
            last_agreed_ = awaited.ticks_done;
            return true;
        }
        result_.divergence =
            Divergence{state_of(awaited, computed),
                       *awaited.recorded,
                       {awaited.recorded_parts.begin(), awaited.recorded_parts.end()},
                       last_agreed_};
        return false;
    }

    [[nodiscard]] StateRecord state_of(const AwaitedHash& awaited, core::StateHash hash) const {
        return {awaited.ticks_done,
                hash,
                {simulation_->parts().begin(), simulation_->parts().end()},
                awaited.context};
    }

    bool out_of_frames() {
        const TrialStatistics& statistics = result_.statistics;
        const std::uint64_t most =
            plan_.most_frames != 0 ? plan_.most_frames : 1'000'000 + 1000 * (statistics.ticks + 1);
        if (statistics.frames < most) {
            return false;
        }
        inconclusive("the schedule used up " + std::to_string(most) + " frames after " +
                     std::to_string(statistics.ticks) + " ticks: too little time passes in it");
        return true;
    }

    void inconclusive(std::string reason) {
        result_.verdict = Verdict::inconclusive;
        result_.reason = std::move(reason);
    }

    void note_damage(const replay::Damage& damage) {
        result_.verdict = Verdict::unreadable;
        result_.reason = "damaged at byte " + std::to_string(damage.offset) + ": " + damage.reason +
                         "; the " + std::to_string(result_.statistics.ticks) +
                         " ticks before it are intact and were replayed";
    }

    void conclude() {
        if (result_.divergence) {
            result_.verdict = Verdict::diverged;
            result_.reason.clear();  // of an end that came after it
        } else if (result_.verdict == Verdict::identical && !plan_.trace &&
                   result_.statistics.hashes_compared == 0) {
            inconclusive("no tick's hash was compared");
        }
    }

    void take_failure(const Error& error) {
        switch (error.code) {
            case ErrorCode::simulation:
                result_.verdict = Verdict::crashed;
                break;
            case ErrorCode::usage:
                result_.refused = error;
                result_.verdict = Verdict::inconclusive;
                break;
            case ErrorCode::io:
            case ErrorCode::damaged:
            case ErrorCode::version:
            case ErrorCode::limit:
                result_.verdict = Verdict::unreadable;
                break;
        }
        result_.reason = describe(error);
    }

    const TrialPlan& plan_;
    const isotick_simulation_table& table_;
    Progress& progress_;
    TrialResult result_;
    std::optional<replay::Reader> reader_;
    std::optional<core::Simulation> simulation_;
    std::optional<replay::RecordedTicks> ticks_;
    std::optional<CallPipeline> calls_;
    std::optional<FrameDriver> driver_;
    std::optional<FieldWatch> watch_;
    std::vector<isotick_input> blank_;
    std::optional<std::uint64_t> last_agreed_;
    bool over_ = true;
};

// A simulation that was asked for many calls at once may have failed in any of them: asked one by
// one, it fails in the one that counts.
TrialResult placed(TrialResult failed, const TrialPlan& plan, const isotick_simulation_table& table,
                   Progress& progress) {
    TrialPlan one_by_one = plan;
    one_by_one.one_call_at_a_time = true;
    TrialResult again = TrialRun(one_by_one, table, progress).run();
    return again.verdict == Verdict::identical ? failed : again;
}

}  // namespace

std::string describe_state(std::uint64_t ticks_done) {
    return ticks_done == 0 ? "the initial state" : "tick " + std::to_string(ticks_done - 1);
}

TrialResult run_trial(const TrialPlan& plan, const isotick_simulation_table& table,
                      Progress& progress) {
    try {
        TrialResult result = TrialRun(plan, table, progress).run();
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

}  // namespace isotick::harness
