#include "record_again.hpp"

#include "../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/replay/reader.hpp>

namespace isotick::harness {
namespace {

using core::Result;

// Driven as the notes say, as far as they can be followed here.
void drive_as_noted(const core::Settings& notes, RecordPlan& plan) {
    if (const auto text = notes.find(kScheduleNote)) {
        plan.drive.schedule = core::Schedule::parse(*text).value_or(plan.drive.schedule);
    }
    if (const auto text = notes.find(kLoopNote)) {
        plan.drive.loop = core::parse_loop(*text).value_or(plan.drive.loop);
    }
}

RecordPlan plan_of(const TrialPlan& trial, const Divergence& divergence,
                   const replay::RecordingHead& head, const SharedFile& file) {
    RecordPlan plan;
    plan.path = file.path();
    plan.appearance = replay::Appearance::filled_in;
    plan.setup = setup_of(head, trial.environment);
    plan.ticks = divergence.computed.ticks_done;
    plan.inputs = InputSource::recording;
    plan.recorded_inputs = trial.recording;
    drive_as_noted(head.notes, plan);
    return plan;
}

RecordedAgain judge(const RecordResult& recorded, const Divergence& divergence) {
    if (recorded.error) {
        return RecordedAgain::untried;
    }
    return recorded.last_hash == divergence.recorded        ? RecordedAgain::as_before
           : recorded.last_hash == divergence.computed.hash ? RecordedAgain::as_replayed
                                                            : RecordedAgain::otherwise;
}

// What asks the bot may come to what only replays does not.
Result<bool> bot_comes_to(core::StateHash wanted, RecordPlan plan, const ExplainOptions& options) {
    plan.inputs = InputSource::bot;
    plan.recorded_inputs.clear();
    return options.record(plan).map([&](const RecordResult& recorded) {
        return !recorded.error && recorded.last_hash == wanted;
    });
}

}  // namespace

Result<RecordedSession> record_again(const TrialPlan& plan, const TrialResult& result,
                                     const ExplainOptions& options) {
    const Divergence& divergence = *result.divergence;
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(plan.recording));
    ISOTICK_TRY_ASSIGN(const auto file, SharedFile::make());
    RecordedSession session;
    const auto build = reader.head().notes.find(kBuildNote);
    session.same_build = build && !result.build_id.empty() && *build == result.build_id;
    if (!options.record) {
        return session;
    }
    const RecordPlan again = plan_of(plan, divergence, reader.head(), file);
    session.nominally = again.drive.schedule == core::Schedule::nominal() &&
                        again.drive.loop == core::LoopOptions();
    ISOTICK_TRY_ASSIGN(const auto recorded, options.record(again));
    session.came_to = judge(recorded, divergence);
    session.hash = recorded.last_hash;
    if (session.came_to != RecordedAgain::as_replayed) {
        return session;
    }
    return bot_comes_to(divergence.recorded, again, options).map([&session](bool comes) {
        session.came_to = comes ? RecordedAgain::as_before_by_bot : session.came_to;
        return session;
    });
}

}  // namespace isotick::harness
