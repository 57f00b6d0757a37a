#include "calls/trial_simulation.hpp"
#include "fitting_loop.hpp"
#include "frames/frame_driver.hpp"
#include "planned_end.hpp"
#include "ticks/input_sampler.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/seam/described_input.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/writer.hpp>

#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// One recording under way: fills in a result.
class RecordRun {
  public:
    RecordRun(const RecordPlan& plan, const isotick_simulation_table& table, Progress& progress)
        : plan_(plan), table_(table), progress_(progress) {}

    RecordResult run() {
        if (auto recorded = record(); !recorded) {
            result_.error = recorded.error();
            remove_if_senseless();
        }
        return std::move(result_);
    }

  private:
    Result<core::Simulation> create() {
        progress_.enter(Activity::creating);
        return trial_simulation_.create(table_, plan_.drive.axes, plan_.setup);
    }

    Result<void> record() {
        auto simulation = create();
        if (!simulation) {
            return tl::unexpected(with_place(simulation.error(), progress_));
        }
        if (plan_.inputs == InputSource::bot && !simulation->has_bot()) {
            return core::fail(ErrorCode::usage,
                              std::string(table_.info->name) +
                                  (table_.info->most_players == 0
                                       ? " has no bot and no players; record it with --inputs none"
                                       : " has no bot; record it with --inputs random or none"));
        }
        ISOTICK_TRY_ASSIGN(auto loop, fitting_loop(table_, plan_.setup.rate, plan_.drive.loop));
        progress_.enter(Activity::hashing);
        const auto initial = simulation->hash();
        if (!initial) {
            return tl::unexpected(with_place(initial.error(), progress_));
        }
        result_.last_hash = *initial;
        ISOTICK_TRY_ASSIGN(
            auto writer,
            replay::Writer::create(plan_.path, head(*simulation), {*initial, simulation->parts()},
                                   {plan_.overwrite, plan_.appearance}));
        auto recorded =
            record_ticks_safely(*simulation, loop, writer).map_error([this](const Error& error) {
                return with_advice(with_place(error, progress_));
            });
        result_.ticks = recorded ? writer.ticks() : writer.written_through();
        result_.kept = recorded.has_value() ||
                       (!plan_.overwrite && plan_.appearance != replay::Appearance::complete);
        result_.session_digest = writer.session_digest();
        progress_.enter(Activity::destroying);
        return recorded;
    }

    // A step that fails over random bytes may be right to refuse them.
    [[nodiscard]] Error with_advice(Error error) const {
        const bool in_step = progress_.place().activity == Activity::stepping;
        if (plan_.inputs == InputSource::random && in_step && plan_.setup.players > 0 &&
            error.code == ErrorCode::simulation && !core::describes_inputs(table_)) {
            error.message +=
                "; it does not describe its inputs, so random inputs are any bytes: if it refuses "
                "them, describe its inputs, or record with --inputs bot or none";
        }
        return error;
    }

    // What was asked for cannot be recorded: the file that was begun is no recording to keep.
    void remove_if_senseless() {
        if (result_.kept && result_.error->code == ErrorCode::usage) {
            result_.kept = false;
            if (plan_.appearance == replay::Appearance::at_once) {
                std::error_code ignored;
                std::filesystem::remove(plan_.path, ignored);
            }
        }
    }

    [[nodiscard]] replay::RecordingHead head(const core::Simulation& simulation) const {
        replay::RecordingHead head;
        head.session = {table_.info->name, plan_.setup.rate, plan_.setup.players, plan_.setup.seed,
                        plan_.setup.config};
        head.hash_algorithm = core::hash_algorithm(*table_.info);
        head.nan_policy = core::nan_policy(*table_.info);
        head.hash_every = plan_.hash_every;
        head.parts_every = plan_.parts_every;
        head.part_names = simulation.part_names();
        head.notes = plan_.notes;
        return head;
    }

    // Where memory runs out, what was written by then is still kept.
    Result<void> record_ticks_safely(core::Simulation& simulation, core::Loop& loop,
                                     replay::Writer& writer) {
        try {
            return record_ticks(simulation, loop, writer);
        } catch (const std::bad_alloc& thrown) {
            return tl::unexpected(core::caught(thrown, ErrorCode::io));
        }
    }

    Result<void> record_ticks(core::Simulation& simulation, core::Loop& loop,
                              replay::Writer& writer) {
        TrialStatistics statistics;
        CallPipeline calls(simulation, progress_, statistics, nullptr, true);
        FrameDriver driver(calls, {loop, plan_.drive.schedule.frames(plan_.setup.rate)},
                           core::info_of(plan_.drive.loop.kind).own_thread, statistics);
        InputSampler sampler(plan_.inputs, plan_.setup.players, plan_.setup.seed);
        ISOTICK_TRY(sampler.open(plan_.recorded_inputs, plan_.edits));
        ISOTICK_TRY(sampler.learn(table_, progress_));
        const auto sample = [&](std::uint64_t back) -> Result<std::uint64_t> {
            if (back != 0) {
                return core::fail(ErrorCode::usage,
                                  "a session cannot be recorded while its loop goes back in time");
            }
            const auto sampled =
                plan_.sample_every_tick ? Result<void>() : sample_now(simulation, sampler);
            return sampled.map([] { return std::uint64_t{0}; });
        };
        const auto tick = [&](std::optional<core::TickDt> dt) {
            const auto sampled =
                plan_.sample_every_tick ? sample_now(simulation, sampler) : Result<void>();
            return sampled.and_then(
                [&] { return record_tick(simulation, calls, sampler, writer, dt); });
        };
        while (result_.ticks < plan_.ticks) {
            ISOTICK_TRY(trial_simulation_.before_frame(statistics.frames, simulation));
            ISOTICK_TRY(driver.run_frame(sample, tick));
            if (auto reason = frames_used_up(0, statistics)) {
                return core::fail(ErrorCode::usage, *std::move(reason));
            }
        }
        result_.frames = statistics.frames;
        return plan_.finish ? writer.finish({result_.last_hash, simulation.parts()})
                            : writer.leave_unfinished();
    }

    Result<void> sample_now(core::Simulation& simulation, InputSampler& sampler) {
        const core::Tick next{result_.ticks};
        progress_.enter(Activity::proposing_input, next);
        return sampler.sample(simulation, next);
    }

    Result<bool> record_tick(core::Simulation& simulation, CallPipeline& calls,
                             InputSampler& sampler, replay::Writer& writer,
                             std::optional<core::TickDt> own_dt) {
        const core::Tick tick{result_.ticks};
        ISOTICK_TRY(sampler.begin_tick());
        const std::optional<core::TickDt> dt = own_dt ? own_dt : sampler.dt();
        ISOTICK_TRY(calls.step(tick, sampler.inputs(), dt));
        result_.inputs_present += sampler.present();
        ++result_.ticks;
        const bool last = result_.ticks == plan_.ticks;
        replay::TickHashes hashes;
        const bool due = writer.hash_due(tick);
        if (due || last) {
            progress_.enter(Activity::hashing, tick);
            ISOTICK_TRY_ASSIGN(const auto hash, simulation.hash());
            result_.last_hash = hash;
            hashes = {hash, simulation.parts()};
        }
        ISOTICK_TRY(writer.append(sampler.inputs(), due ? &hashes : nullptr, dt));
        return !last;
    }

    const RecordPlan& plan_;
    const isotick_simulation_table& table_;
    Progress& progress_;
    TrialSimulation trial_simulation_;
    RecordResult result_;
};

}  // namespace

std::string_view to_string(InputSource source) {
    switch (source) {
        case InputSource::bot:
            return "bot";
        case InputSource::random:
            return "random";
        case InputSource::none:
            return "none";
        case InputSource::recording:
            return "recording";
    }
    return "";
}

Result<InputSource> parse_input_source(std::string_view text) {
    for (const InputSource source : {InputSource::bot, InputSource::random, InputSource::none}) {
        if (text == to_string(source)) {
            return source;
        }
    }
    return core::fail(ErrorCode::usage, "inputs come from 'bot', 'random' or 'none', not '" +
                                            std::string(text) + "'");
}

RecordResult run_record(const RecordPlan& plan, const isotick_simulation_table& table,
                        Progress& progress) {
    try {
        return RecordRun(plan, table, progress).run();
    } catch (const std::exception& thrown) {
        RecordResult result;
        result.error = core::caught(thrown, ErrorCode::simulation, "the recording itself failed: ");
        return result;
    }
}

std::optional<core::Schedule> recorded_schedule(const core::Settings& notes) {
    const auto text = notes.find(kScheduleNote);
    if (!text || notes.find(kLoopNote)) {
        return std::nullopt;
    }
    const auto schedule = core::Schedule::parse(*text);
    return schedule ? std::optional(*schedule) : std::nullopt;
}

}  // namespace isotick::harness
