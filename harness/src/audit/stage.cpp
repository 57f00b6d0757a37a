#include "stage.hpp"

#include "../system/process.hpp"
#include "object_memory.hpp"
#include "scene_answers.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

Result<SessionTicks> SessionTicks::read(const std::string& path, std::uint64_t most) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(path));
    SessionTicks session;
    session.head_ = reader.head();
    session.columns_ = std::size_t{session.head_.session.players} + 1;
    session.recorded_.emplace_back(reader.initial().state);
    replay::RecordedTicks ticks(reader);
    while (session.ticks() < most && session.bytes_.size() < kMostBytes) {
        ISOTICK_TRY_ASSIGN(const auto more, ticks.advance());
        if (!more) {
            break;
        }
        session.keep(ticks.inputs());
        session.dts_.push_back(ticks.dt());
        session.recorded_.push_back(ticks.state_hash());
    }
    if (session.ticks() == 0) {
        return core::fail(ErrorCode::damaged, "there is no intact tick in the recording");
    }
    session.point_inputs_to_bytes();
    return session;
}

void SessionTicks::keep(std::span<const isotick_input> inputs) {
    for (const isotick_input& input : inputs) {
        inputs_.push_back(input);
        if (input.size != 0) {
            bytes_.insert(bytes_.end(), input.data, input.data + input.size);
        }
    }
}

// Only now do the bytes stay where they are.
void SessionTicks::point_inputs_to_bytes() {
    const std::uint8_t* place = bytes_.data();
    for (isotick_input& input : inputs_) {
        input.data = input.size == 0 ? nullptr : place;
        place += input.size;
    }
    absent_.assign(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(columns_));
    for (isotick_input& input : absent_) {
        input = {input.player, 0, 0, nullptr};
    }
}

std::uint64_t SessionTicks::inputs_present() const {
    std::uint64_t count = 0;
    for (const isotick_input& input : inputs_) {
        count += input.present;
    }
    return count;
}

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

core::Tick last_tick(std::uint64_t ticks_done) {
    return core::Tick{ticks_done == 0 ? 0 : ticks_done - 1};
}

bool is_observer(std::string_view call) {
    return call != "create" && call != "step" && call != "load";
}

}  // namespace

template <class Function>
auto Stage::watched(const char* call, std::uint64_t ticks_done, const Function& function) {
    const FloatControl before = FloatControl::now();
    auto result = function();
    if (FloatControl::now() != before) {
        compare_float_control(call, ticks_done, before);
    }
    return result;
}

Stage::Stage(const ProbePlan& plan, const isotick_simulation_table& table, Progress& progress)
    : plan_(plan), table_(table), progress_(&progress), ignored_(plan.ignored_parts) {}

Result<void> Stage::open() {
    ISOTICK_TRY_ASSIGN(auto session, SessionTicks::read(plan_.recording, plan_.most_ticks));
    session_.emplace(std::move(session));
    if (const auto library = library_of(table_)) {
        library_base_ = library->base;
    }
    if (!plan_.at.empty() && plan_.at.back() > session_->ticks()) {
        return core::fail(ErrorCode::limit,
                          "the session's inputs take more memory than an audit may use");
    }
    setup_ = setup_of(session_->head(), plan_.environment);
    return check_match(session_->head(), facts_of(table_)).and_then([this] { return check_dts(); });
}

// Before any tick, and in this process: in a copy of it, to be refused would be to crash.
Result<void> Stage::check_dts() const {
    const core::TickDt constant(session_->head().session.rate);
    for (std::uint64_t tick = 0; tick < session_->ticks(); ++tick) {
        const core::TickDt dt = session_->dt(tick).value_or(constant);
        ISOTICK_TRY(core::check_dt(*table_.info, {tick}, dt, constant));
    }
    return {};
}

std::uint64_t Stage::end_of_run(std::uint64_t ticks_done) const {
    return std::min(session_->ticks(), ticks_done + plan_.run_on);
}

SceneEnd Stage::unreadable(const Error& error) {
    return {Verdict::crashed, "its answer cannot be read: " + error.message};
}

Played<std::string> Stage::play_for_bytes(std::uint64_t ticks_done, Tampering tampering,
                                          const SceneInBytes& scene) {
    if (can(ISOTICK_OWN_THREADS)) {
        return play_here(ticks_done, scene);
    }
    if (auto brought = bring_original_to(ticks_done); !brought) {
        return tl::unexpected(SceneEnd{Verdict::crashed, describe(brought.error())});
    }
    const CopyLimits limits{plan_.hang_ms, tampering == Tampering::yes};
    const auto end = run_in_copy(*progress_, limits, [&](Progress& progress) {
        leave_no_core_file();
        progress_ = &progress;
        work_ = 0;
        return report_of(original_, scene);
    });
    if (!end) {
        shortage_ = end.error();
        return tl::unexpected(SceneEnd{Verdict::inconclusive, describe(end.error())});
    }
    if (!end->finished) {
        return tl::unexpected(
            SceneEnd{end->timed_out ? Verdict::timed_out : Verdict::crashed, end->reason});
    }
    return take_report(end->answer);
}

Result<void> Stage::bring_original_to(std::uint64_t ticks_done) {
    if (!original_ || original_at_ > ticks_done) {
        original_.reset();
        ISOTICK_TRY_ASSIGN(auto made, create());
        original_.emplace(std::move(made));
        original_at_ = 0;
    }
    const std::uint64_t from = std::exchange(original_at_, ticks_done);
    return advance(*original_, from, ticks_done);
}

std::string Stage::report_of(Instance& original, const SceneInBytes& scene) {
    SceneReport report;
    try {
        auto answer = scene(original);
        if (answer) {
            report.answer = *std::move(answer);
        } else {
            report.failed = describe(answer.error());
        }
    } catch (const std::bad_alloc&) {
        throw;  // isotick's own: a simulation's is an error of its call
    } catch (const std::exception& thrown) {
        report.failed = thrown.what();
    }
    report.work = work_;
    report.float_leaks = float_leaks_;
    return to_bytes(report);
}

Played<std::string> Stage::play_here(std::uint64_t ticks_done, const SceneInBytes& scene) {
    float_control_.restore();  // what the last scene left is not this one's
    auto made = create();
    if (made) {
        if (auto advanced = advance(*made, 0, ticks_done); !advanced) {
            made = tl::unexpected(advanced.error());
        }
    }
    if (!made) {
        return tl::unexpected(SceneEnd{Verdict::crashed, describe(made.error())});
    }
    Instance original(std::move(*made));
    const std::uint64_t before = std::exchange(work_, 0);
    const std::string report = report_of(original, scene);
    work_ = before;
    return take_report(report);
}

Played<std::string> Stage::take_report(const std::string& bytes) {
    auto report = from_bytes<SceneReport>(bytes);
    if (!report) {
        return tl::unexpected(unreadable(report.error()));
    }
    work_ += report->work;
    float_leaks_ = std::move(report->float_leaks);
    if (report->failed) {
        return tl::unexpected(SceneEnd{Verdict::crashed, *std::move(report->failed)});
    }
    return std::move(report->answer);
}

Result<core::Simulation> Stage::create() {
    progress_->enter(Activity::creating);
    auto made = watched("create", 0, [this] { return core::Simulation::create(table_, setup_); });
    return std::move(made).map_error([this](const Error& error) { return placed(error); });
}

Result<core::Simulation> Stage::create_beside(Instance& original) {
    if (!can(ISOTICK_MANY_INSTANCES)) {
        progress_->enter(Activity::destroying);
        original.reset();
    }
    return create();
}

Result<void> Stage::step(core::Simulation& simulation, std::uint64_t tick) {
    return step(simulation, tick, session_->inputs(tick));
}

Result<void> Stage::step_without_inputs(core::Simulation& simulation, std::uint64_t tick) {
    return step(simulation, tick, session_->no_inputs());
}

Result<void> Stage::step(core::Simulation& simulation, std::uint64_t tick,
                         std::span<const isotick_input> inputs) {
    progress_->enter(Activity::stepping, core::Tick{tick});
    ++work_;
    return watched("step", tick + 1,
                   [&] { return simulation.step(core::Tick{tick}, inputs, session_->dt(tick)); });
}

Result<void> Stage::advance(core::Simulation& simulation, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t tick = from; tick < to; ++tick) {
        ISOTICK_TRY(step(simulation, tick));
    }
    return {};
}

Result<PartRow> Stage::hash(core::Simulation& simulation, std::uint64_t ticks_done) {
    enter(Activity::hashing, ticks_done);
    const auto hashed = watched("hash", ticks_done, [&] { return simulation.hash(); });
    if (!hashed) {
        return tl::unexpected(placed(hashed.error()));
    }
    part_names_ = simulation.part_names();
    PartRow row;
    for (const core::PartHash part : simulation.parts()) {
        row.push_back(part.value);
    }
    return row;
}

Result<Bytes> Stage::save(core::Simulation& simulation, std::uint64_t ticks_done) {
    enter(Activity::saving, ticks_done);
    return watched("save", ticks_done, [&] { return simulation.save(); });
}

Result<void> Stage::load(core::Simulation& simulation, std::span<const std::byte> snapshot,
                         std::uint64_t ticks_done) {
    enter(Activity::restoring, ticks_done);
    return watched("load", ticks_done, [&] { return simulation.load(snapshot); });
}

Result<Bytes> Stage::fields(core::Simulation& simulation, std::uint64_t ticks_done) {
    enter(Activity::visiting, ticks_done);
    auto fields = watched("visit_fields", ticks_done, [&] { return simulation.fields(); });
    return std::move(fields).map_error([this](const Error& error) { return placed(error); });
}

Result<void> Stage::begin_frame(core::Simulation& simulation, core::FrameTime frame_time,
                                std::uint64_t ticks_done) {
    enter(Activity::beginning_frame, ticks_done + 1);
    return watched("begin_frame", ticks_done, [&] { return simulation.begin_frame(frame_time); });
}

Result<void> Stage::render(core::Simulation& simulation, double alpha, std::uint64_t ticks_done) {
    enter(Activity::rendering, ticks_done);
    return watched("render", ticks_done, [&] { return simulation.render(alpha); });
}

Result<void> Stage::propose(core::Simulation& simulation, std::uint64_t entropy,
                            std::uint64_t ticks_done) {
    std::vector<std::uint8_t> input;
    const std::uint32_t players = session_->head().session.players;
    for (std::uint32_t column = 0; column <= players; ++column) {
        const std::uint32_t player = column == players ? ISOTICK_WORLD : column;
        enter(Activity::proposing_input, ticks_done);
        ISOTICK_TRY(watched("propose_input", ticks_done, [&] {
            return simulation.propose_input(player, core::Tick{ticks_done},
                                            core::derive_seed(entropy, {column}), input);
        }));
    }
    return {};
}

void Stage::compare_float_control(const char* call, std::uint64_t ticks_done,
                                  const FloatControl& before) {
    const bool observer = is_observer(call);
    if (std::ranges::none_of(float_leaks_, [&](const auto& leak) { return leak.call == call; })) {
        float_leaks_.push_back({call, ticks_done, FloatControl::now().since(before), observer});
    }
    if (observer && !keep_float_control_) {
        before.restore();
    }
}

void Stage::enter(Activity activity, std::uint64_t ticks_done) {
    progress_->enter(activity, last_tick(ticks_done));
}

std::vector<std::string> Stage::differing(const PartRow& a, const PartRow& b) const {
    std::vector<std::string> names;
    for (std::size_t part = 0; part < std::min(a.size(), b.size()); ++part) {
        const std::string& name = part_names_[part];
        if (a[part] != b[part] &&
            std::find(ignored_.begin(), ignored_.end(), name) == ignored_.end()) {
            names.push_back(name);
        }
    }
    return names;
}

void Stage::ignore(const std::vector<std::string>& parts) {
    ignored_.insert(ignored_.end(), parts.begin(), parts.end());
}

Error Stage::placed(Error error) const {
    return with_place(std::move(error), *progress_);
}

}  // namespace isotick::harness
