#include "example_messages.hpp"

#include <isotick/core/loops.hpp>

namespace isotick::tests {
namespace {

using namespace harness;

const core::Error kError{core::ErrorCode::usage, "message", "file", 3, 4};
const MemoryRange kRange{"type", 8, 16};

core::Settings settings() {
    core::Settings settings;
    (void)settings.set("key", "value");
    return settings;
}

Drive drive() {
    const auto frames = [](const std::string&) {
        return core::CapturedFrames::own({16'000'000, 40'000'000});
    };
    Drive drive;
    drive.loop = core::parse_loop("ranged(least=5ms, most=20ms)").value();
    drive.schedule = core::Schedule::parse("3x16ms, capture(\"run.csv\")", frames).value();
    drive.axes = {{"config.workers", "2"}};
    return drive;
}

TrialPlan trial() {
    TrialPlan plan;
    plan.recording = "s.isotick";
    plan.environment = settings();
    plan.drive = drive();
    plan.until = core::Tick{9};
    plan.inputs = {{1U, {3}, {4}, InputEditKind::replace, {1, 2}}};
    plan.hashes = HashFile{"hashes", HashFile::Use::compare};
    plan.trace = StateRange{1, 2};
    plan.dumps = {DumpRequest{"state", 3}};
    plan.watch = WatchRequest{"watched", {"units[0].x"}};
    plan.writes = WriteRequest{"written", 7, 512, 64, 6024, "random", true, 9, 4};
    plan.field_digests = FieldDigestRequest{"digests"};
    plan.checkpoints_of = 2;
    plan.course = CourseRequest{"course", {{"state", 7}}, "from", "own"};
    return plan;
}

RecordPlan recording() {
    RecordPlan plan;
    plan.path = "r.isotick";
    plan.setup = {core::TickRate(), 2, 5, settings(), settings()};
    plan.ticks = 100;
    plan.drive = drive();
    plan.inputs = InputSource::recording;
    plan.recorded_inputs = "s.isotick";
    plan.edits = trial().inputs;
    plan.notes = settings();
    return plan;
}

TypeMemory memory() {
    return {"type", 64, 2, 1, {kRange}, {{kRange, "member", true, false, false, true}}, {4096}};
}

ProbePlan probe() {
    ProbePlan plan;
    plan.recording = "s.isotick";
    plan.environment = settings();
    plan.kind = ProbeKind::poison;
    plan.at = {1, 2};
    plan.ignored_parts = {"part"};
    plan.ranges = {kRange};
    plan.globals = {memory()};
    return plan;
}

TrialResult trial_result() {
    const StateRecord state{7, {8}, {{9}, {10}}, {1, {16'000'000}, 0, 2, 0, 0.25, 0}, 7, Rerun{}};
    TrialResult result;
    result.verdict = Verdict::diverged;
    result.reason = "reason";
    result.refused = kError;
    result.failed_in = Place{Activity::stepping, {6}, 7};
    result.divergence = Divergence{state, {11}, {{12}, {13}}, 6, 6};
    result.last_hash = core::StateHash{14};
    result.part_names = {"a", "b"};
    result.trace = {state, state};
    result.checkpoints = {{"ai", {15}, {{16}, {17}}}};
    result.dump_failed = kError;
    result.calls = HostCalls{true, true};
    result.damaged_at = 12;
    result.unread = {"config.workers"};
    result.bad_end = "left 2 processes running";
    result.diverged_state = {std::byte{1}, std::byte{2}};
    return result;
}

RecordResult record_result() {
    RecordResult result;
    result.error = kError;
    result.ticks = 100;
    result.session_digest = {1, 2};
    return result;
}

ProbeResult probe_result() {
    const StateDifference difference{3, {"part"}, {{"field", "field  1 → 2"}}, 1, true};
    ProbeResult result;
    result.refused = kError;
    result.liveness.parts_of_no_state = {"part"};
    result.liveness.twins = difference;
    result.liveness.calls = {"hash", "render"};
    result.liveness.disturbances = {{"render", difference}};
    result.liveness.fields = {5, {"field"}};
    result.float_leaks = {{"step", 1, "rounds toward zero", true}};
    result.restores = {{1, 2, 3, RestoreOutcome::differs, RestoreWay::later, difference, "reason"}};
    result.transplants = {{1, kRange, TransplantOutcome::cured}};
    result.types = {memory()};
    result.poisons = {{kRange,
                       PoisonOutcome::future,
                       1,
                       2,
                       {"part"},
                       RepairOutcome::kept,
                       ResetOutcome::constant}};
    result.flips = {1, {{"path", 2, 1, true}}, 1, {{"bit 3", "killed"}}, 64, 60, {"byte 2"}, 4};
    return result;
}

SimulationFacts facts() {
    SimulationFacts facts;
    facts.name = "skirmish";
    facts.nan_policy = "bits";
    facts.most_players = 8;
    return facts;
}

}  // namespace

std::vector<Job> example_jobs() {
    const SimulationName name = SimulationName::chosen("skirmish");
    return {{name, 1U << 30U, trial()},
            {name, 0, recording()},
            {name, 0, probe()},
            {name, 0, FactsPlan{}},
            {name, 0, HeldTrial{trial(), 7}},
            {SimulationName::recorded("s"), 0, DropPlan{}}};
}

std::vector<Response> example_responses() {
    return {kError, HeldAt{12}, trial_result(), record_result(), probe_result(), facts()};
}

}  // namespace isotick::tests
