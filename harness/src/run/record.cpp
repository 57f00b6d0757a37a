// Recording a session under a schedule, with inputs that are sampled tick by tick.

#include "frame_driver.hpp"
#include "random_inputs.hpp"
#include "trial_end.hpp"
#include "varied_calls.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/writer.hpp>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace isotick::harness {

// The inputs of a session while it is being recorded.

/// Samples every player's input, and the world's where a bot plays. What it draws depends on the
/// session's seed and the order of the calls alone.
class InputSampler {
  public:
    InputSampler(InputSource source, std::uint32_t players, std::uint64_t seed);

    InputSampler(const InputSampler&) = delete;
    InputSampler& operator=(const InputSampler&) = delete;

    /// Opens the recording that inputs come from; does nothing where they come from elsewhere.
    /// They are then changed by `edits`.
    [[nodiscard]] core::Result<void> open(const std::string& recording, const InputEdits& edits);

    /// Finds out what random inputs are to look like; does nothing where inputs come from
    /// elsewhere. Both must outlive the sampler; `progress` is told of each question. Fails with
    /// `usage` where players' inputs are described but none is found.
    [[nodiscard]] core::Result<void> learn(const isotick_simulation_table& table,
                                           Progress& progress);

    /// Takes a new sample for the frame whose next tick is `tick`.
    [[nodiscard]] core::Result<void> sample(core::Simulation& simulation, core::Tick tick);

    /// To be called once for each tick, before its inputs are used: a recording's inputs belong to
    /// their ticks, whatever frame these fall in.
    [[nodiscard]] core::Result<void> begin_tick();

    /// The inputs: players in order, the world last. Valid until the next sample or tick.
    [[nodiscard]] std::span<const isotick_input> inputs() const {
        return edited_.empty() ? inputs_ : edited_;
    }
    [[nodiscard]] std::uint64_t present() const;

    /// The dt of the tick, where its inputs come from a recording that has one of its own for it.
    [[nodiscard]] std::optional<core::TickDt> dt() const {
        return ticks_ ? ticks_->dt() : std::nullopt;
    }

  private:
    InputSource source_;
    std::uint64_t seed_;
    core::Pcg32 random_;
    std::vector<std::vector<std::uint8_t>> bytes_;
    std::vector<RandomInput> drawn_;  // by column; the world's only where it is described
    std::vector<isotick_input> inputs_;
    std::optional<replay::Reader> recording_;
    std::optional<replay::RecordedTicks> ticks_;  // of that recording
    std::optional<InputEditor> editor_;
    std::span<const isotick_input> edited_;  // of the tick that has begun
};

namespace {

// Keeps the inputs' random numbers apart from those that a simulation draws from the same seed.
constexpr std::uint64_t kInputStream = 0x69736f7469636b;

// The table's description of one player's inputs; none where it describes nothing.
std::optional<InputWords> input_words(const isotick_simulation_table& table, std::uint32_t player,
                                      Progress& progress) {
    if (!core::describes_inputs(table)) {
        return std::nullopt;
    }
    const auto asked = [&progress](auto answer) {
        progress.enter(Activity::describing_inputs);
        auto result = answer();
        return result ? std::optional(*std::move(result)) : std::nullopt;
    };
    return InputWords{[=, &table](std::span<const std::uint8_t> bytes) {
                          return asked([&] { return core::describe_input(table, player, bytes); });
                      },
                      [=, &table](std::string_view json) {
                          return asked([&] { return core::compose_input(table, player, json); });
                      }};
}

}  // namespace

InputSampler::InputSampler(InputSource source, std::uint32_t players, std::uint64_t seed)
    : source_(source),
      seed_(seed),
      random_(seed, kInputStream),
      bytes_(players + 1),
      inputs_(players + 1) {
    for (std::uint32_t player = 0; player < players; ++player) {
        inputs_[player] = {player, 0, 0, nullptr};
    }
    inputs_[players] = {ISOTICK_WORLD, 0, 0, nullptr};
}

core::Result<void> InputSampler::open(const std::string& recording, const InputEdits& edits) {
    if (source_ != InputSource::recording) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
    if (reader.head().session.players + std::size_t{1} != inputs_.size()) {
        return core::fail(core::ErrorCode::usage, recording + " has another number of players");
    }
    recording_ = std::move(reader);
    ticks_.emplace(*recording_);
    const auto players = static_cast<std::uint32_t>(inputs_.size() - 1);
    return InputEditor::make(edits, players).map([this](InputEditor&& editor) {
        editor_ = std::move(editor);
    });
}

core::Result<void> InputSampler::learn(const isotick_simulation_table& table, Progress& progress) {
    if (source_ != InputSource::random) {
        return {};
    }
    for (const isotick_input& input : inputs_) {
        auto words = input_words(table, input.player, progress);
        if (input.player == ISOTICK_WORLD && !words) {
            continue;
        }
        drawn_.emplace_back(seed_, input.player, std::move(words));
        if (input.player != ISOTICK_WORLD && !drawn_.back().has_examples()) {
            return core::fail(core::ErrorCode::usage,
                              std::string(table.info->name) +
                                  " describes inputs, but no description works for player " +
                                  std::to_string(input.player) +
                                  ": its compose_input took none of {}, [], 0, false and \"\", its "
                                  "describe_input no bytes that were tried; let it compose one of "
                                  "{}, or record with --inputs bot or none");
        }
    }
    return {};
}

core::Result<void> InputSampler::begin_tick() {
    if (!ticks_) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto there, ticks_->advance());
    if (!there) {
        return core::fail(core::ErrorCode::damaged, "the recorded inputs end too early");
    }
    edited_ = editor_->apply(ticks_->tick(), ticks_->inputs());
    return {};
}

core::Result<void> InputSampler::sample(core::Simulation& simulation, core::Tick tick) {
    if (source_ == InputSource::none || source_ == InputSource::recording) {
        return {};
    }
    if (source_ == InputSource::random) {
        for (std::size_t column = 0; column < drawn_.size(); ++column) {
            inputs_[column] = drawn_[column].sample();
        }
        return {};
    }
    for (std::size_t column = 0; column < inputs_.size(); ++column) {
        ISOTICK_TRY_ASSIGN(inputs_[column],
                           simulation.propose_input(inputs_[column].player, tick, random_.next64(),
                                                    bytes_[column]));
    }
    return {};
}

std::uint64_t InputSampler::present() const {
    std::uint64_t count = 0;
    for (const isotick_input& input : inputs()) {
        count += input.present;
    }
    return count;
}

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
        CallPipeline calls(std::move(*simulation), progress_, statistics_, nullptr, true);
        const auto initial = calls.during(Activity::hashing).hash();
        if (!initial) {
            return tl::unexpected(with_place(initial.error(), progress_));
        }
        result_.last_hash = *initial;
        ISOTICK_TRY_ASSIGN(auto writer,
                           replay::Writer::create(plan_.path, head(calls.simulation()),
                                                  {*initial, calls.simulation().parts()},
                                                  {plan_.overwrite, plan_.appearance}));
        auto recorded =
            record_ticks_safely(calls, loop, writer).map_error([this](const Error& error) {
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
    Result<void> record_ticks_safely(CallPipeline& calls, core::Loop& loop,
                                     replay::Writer& writer) {
        try {
            return record_ticks(calls, loop, writer);
        } catch (const std::bad_alloc& thrown) {
            return tl::unexpected(core::caught(thrown, ErrorCode::io));
        }
    }

    Result<void> record_ticks(CallPipeline& calls, core::Loop& loop, replay::Writer& writer) {
        FrameDriver driver(calls, {loop, plan_.drive.schedule.frames(plan_.setup.rate)},
                           core::info_of(plan_.drive.loop.kind).own_thread, statistics_);
        InputSampler sampler(plan_.inputs, plan_.setup.players, plan_.setup.seed);
        ISOTICK_TRY(sampler.open(plan_.recorded_inputs, plan_.edits));
        ISOTICK_TRY(sampler.learn(table_, progress_));
        const auto sample = [&](std::uint64_t back) -> Result<std::uint64_t> {
            if (back != 0) {
                return core::fail(ErrorCode::usage,
                                  "a session cannot be recorded while its loop goes back in time");
            }
            const auto sampled =
                plan_.sample_every_tick ? Result<void>() : sample_now(calls.simulation(), sampler);
            return sampled.map([] { return std::uint64_t{0}; });
        };
        const auto tick = [&](std::optional<core::TickDt> dt) {
            const auto sampled =
                plan_.sample_every_tick ? sample_now(calls.simulation(), sampler) : Result<void>();
            return sampled.and_then([&] { return record_tick(calls, sampler, writer, dt); });
        };
        while (result_.ticks < plan_.ticks) {
            ISOTICK_TRY(trial_simulation_.before_frame(statistics_.frames, calls.simulation()));
            ISOTICK_TRY(driver.run_frame(sample, tick));
            if (auto reason = frames_used_up(0, statistics_)) {
                return core::fail(ErrorCode::usage, *std::move(reason));
            }
        }
        result_.frames = statistics_.frames;
        return plan_.finish ? writer.finish({result_.last_hash, calls.simulation().parts()})
                            : writer.leave_unfinished();
    }

    Result<void> sample_now(core::Simulation& simulation, InputSampler& sampler) {
        const core::Tick next{result_.ticks};
        progress_.enter(Activity::proposing_input, next);
        return sampler.sample(simulation, next);
    }

    Result<bool> record_tick(CallPipeline& calls, InputSampler& sampler, replay::Writer& writer,
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
            ISOTICK_TRY_ASSIGN(result_.last_hash, calls.during(Activity::hashing).hash());
            hashes = {result_.last_hash, calls.simulation().parts()};
        }
        ISOTICK_TRY(writer.append(sampler.inputs(), due ? &hashes : nullptr, dt));
        return !last;
    }

    const RecordPlan& plan_;
    const isotick_simulation_table& table_;
    Progress& progress_;
    TrialSimulation trial_simulation_;
    TrialStatistics statistics_;
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
