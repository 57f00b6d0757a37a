// What a worker is asked arrives field by field, and what no parent would ask does not.

#include "carried_fields.hpp"
#include "run/message_fields.hpp"

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;
using tests::CarriedFields;

core::Settings settings_of_plan(const char* key, const char* value) {
    core::Settings settings;
    EXPECT_TRUE(settings.set(key, value));
    return settings;
}

core::Schedule captured(const std::shared_ptr<const core::CapturedFrames>& frames) {
    return core::Schedule::parse(
               "5ms, capture(\"run.csv\", from=20ms)",
               [&](const std::string&) {
                   return core::Result<std::shared_ptr<const core::CapturedFrames>>(frames);
               })
        .value();
}

Drive drive_of_plan() {
    Drive drive;
    drive.loop = core::parse_loop("ranged(least=5ms, most=20ms)").value();
    drive.schedule = core::Schedule::parse("3x16ms, jitter(60hz, 3ms, seed=7)").value();
    drive.axes = {{"config.workers", "2"}};
    return drive;
}

TEST(PlanFields, CarryDrives) {
    CarriedFields<AxisValue>().carry(&AxisValue::axis, "a").carry(&AxisValue::value, "v");
    CarriedFields<Drive>()
        .carry(&Drive::loop, drive_of_plan().loop)
        .carry(&Drive::schedule, drive_of_plan().schedule)
        .carry(&Drive::axes, drive_of_plan().axes);
}

TEST(PlanFields, CarryCapturesOnTheirOwnOrByTheirFile) {
    const std::vector<std::int64_t> ends{10'000'000, 30'000'000, 60'000'000};
    const core::Schedule own = captured(core::CapturedFrames::own(ends).value());
    const core::Schedule stored = captured(store_frames(ends).value());
    for (const core::Schedule& schedule : {own, stored}) {
        const auto arrived = from_bytes<Drive>(to_bytes(Drive{{}, schedule, {}}));
        ASSERT_TRUE(arrived) << describe(arrived.error());
        EXPECT_EQ(arrived->schedule, own);
    }
    EXPECT_THAT(to_bytes(Drive{{}, stored, {}}), HasSubstr("/proc/")) << "it went frame by frame";
}

TEST(PlanFields, CarryTrialPlans) {
    CarriedFields<StateRange>().carry(&StateRange::first, 1U).carry(&StateRange::last, 2U);
    CarriedFields<DumpRequest>().carry(&DumpRequest::path, "d").carry(&DumpRequest::steps, 3U);
    CarriedFields<WatchRequest>()
        .carry(&WatchRequest::path, "w")
        .carry(&WatchRequest::fields, std::vector<std::string>{"x", "y"});
    CarriedFields<SnapshotRequest>()
        .carry(&SnapshotRequest::path, "s")
        .carry(&SnapshotRequest::ticks_done, 4U);
    CarriedFields<CourseRequest>()
        .carry(&CourseRequest::path, "c")
        .carry(&CourseRequest::save_at, std::vector<SnapshotRequest>{{"s", 4}, {"t", 5}})
        .carry(&CourseRequest::begin_from, "b")
        .carry(&CourseRequest::recording, "r");
    CarriedFields<HashFile>()
        .carry(&HashFile::path, "h")
        .carry(&HashFile::use, HashFile::Use::compare);
    CarriedFields<InputEdit>()
        .carry(&InputEdit::player, 4U)
        .carry(&InputEdit::first, core::Tick{5})
        .carry(&InputEdit::last, core::Tick{6})
        .carry(&InputEdit::kind, InputEditKind::replace)
        .carry(&InputEdit::bytes, std::vector<std::uint8_t>{0, 255});
    CarriedFields<TrialPlan>()
        .carry(&TrialPlan::recording, "a\xff.isotick")
        .carry(&TrialPlan::environment, settings_of_plan("level", "a=b"))
        .carry(&TrialPlan::drive, drive_of_plan())
        .carry(&TrialPlan::until, core::Tick{0})
        .carry(&TrialPlan::most_steps, 7U)
        .carry(&TrialPlan::inputs, InputEdits{{}, {1U, {2}, {3}, InputEditKind::hold, {}}})
        .carry(&TrialPlan::hashes, HashFile{"h", HashFile::Use::compare})
        .carry(&TrialPlan::most_frames, UINT64_MAX)
        .carry(&TrialPlan::trace, StateRange{1, 2})
        .carry(&TrialPlan::dump, DumpRequest{"d", 0})
        .carry(&TrialPlan::checkpoints_of, std::optional<std::uint64_t>(4))
        .carry(&TrialPlan::watch, WatchRequest{"w", {"x"}})
        .carry(&TrialPlan::field_digests, FieldDigestRequest{"d"})
        .carry(&TrialPlan::course, CourseRequest{"c", {{"s", 4}}, "b", "r"})
        .carry(&TrialPlan::one_call_at_a_time, true)
        .carry(&TrialPlan::keep_diverged_state, true);
}

TEST(PlanFields, CarryRecordPlans) {
    CarriedFields<core::SimulationSetup>()
        .carry(&core::SimulationSetup::rate, core::TickRate::make(60'000, 1001).value())
        .carry(&core::SimulationSetup::players, 2U)
        .carry(&core::SimulationSetup::seed, UINT64_MAX)
        .carry(&core::SimulationSetup::config, settings_of_plan("a", "1"))
        .carry(&core::SimulationSetup::environment, settings_of_plan("b", "2"));
    CarriedFields<RecordPlan>()
        .carry(&RecordPlan::path, "p")
        .carry(&RecordPlan::setup, core::SimulationSetup{.players = 3})
        .carry(&RecordPlan::ticks, 4U)
        .carry(&RecordPlan::drive, drive_of_plan())
        .carry(&RecordPlan::inputs, InputSource::none)
        .carry(&RecordPlan::sample_every_tick, true)
        .carry(&RecordPlan::edits, InputEdits{{}})
        .carry(&RecordPlan::finish, false)
        .carry(&RecordPlan::hash_every, 5U)
        .carry(&RecordPlan::parts_every, 6U)
        .carry(&RecordPlan::notes, settings_of_plan("why", "test"));
}

TEST(PlanFields, LetAWorkerRecordIntoNothingButAFileOfItsParents) {
    RecordPlan plan;
    plan.overwrite = true;
    plan.appearance = replay::Appearance::complete;
    plan.recorded_inputs = "s.isotick";
    plan.inputs = InputSource::recording;
    const auto arrived = from_bytes<RecordPlan>(to_bytes(plan));
    ASSERT_TRUE(arrived) << describe(arrived.error());
    EXPECT_FALSE(arrived->overwrite);
    EXPECT_EQ(arrived->appearance, replay::Appearance::filled_in);
    EXPECT_EQ(arrived->recorded_inputs, "s.isotick");
    EXPECT_EQ(arrived->inputs, InputSource::recording);
    plan.recorded_inputs.clear();
    EXPECT_FALSE(from_bytes<RecordPlan>(to_bytes(plan)));
}

TEST(PlanFields, CarryProbePlans) {
    CarriedFields<ProbePlan>()
        .carry(&ProbePlan::recording, "r")
        .carry(&ProbePlan::environment, settings_of_plan("a", ""))
        .carry(&ProbePlan::kind, ProbeKind::flip)
        .carry(&ProbePlan::most_ticks, 1U)
        .carry(&ProbePlan::at, std::vector<std::uint64_t>{2, 3})
        .carry(&ProbePlan::run_on, 4U)
        .carry(&ProbePlan::seed, 5U)
        .carry(&ProbePlan::ignored_parts, std::vector<std::string>{""})
        .carry(&ProbePlan::ranges, std::vector<MemoryRange>{{"t", 6, 7}})
        .carry(&ProbePlan::opaque, true)
        .carry(&ProbePlan::names, true)
        .carry(&ProbePlan::globals, std::vector<TypeMemory>{{}})
        .carry(&ProbePlan::snapshot, "s")
        .carry(&ProbePlan::fresh, true)
        .carry(&ProbePlan::hang_ms, 8U);
}

TEST(PlanFields, CarryJobs) {
    CarriedFields<HeldTrial>()
        .carry(&HeldTrial::plan, TrialPlan{.recording = "r"})
        .carry(&HeldTrial::before_frame, 1U);
    CarriedFields<Job>()
        .carry(&Job::simulation, SimulationName::recorded(""))
        .carry(&Job::simulation, SimulationName::chosen("./libgame.so"))
        .carry(&Job::memory_limit, 2U)
        .carry(&Job::plan, RecordPlan())
        .carry(&Job::plan, ProbePlan())
        .carry(&Job::plan, FactsPlan())
        .carry(&Job::plan, HeldTrial())
        .carry(&Job::plan, DropPlan())
        .carry(&Job::locales, "/tmp/l");
}

// A schedule alone, which has no usual value of its own.
struct Scheduled {
    core::Schedule schedule = core::Schedule::nominal();

    template <class Archive>
    void serialize(Archive& archive) {
        archive_fields(archive, schedule);
    }
};

TEST(PlanFields, KeepTheRulesOfWhatTheyCarry) {
    const auto refused = [](auto carried, auto whole) {
        const auto result = from_bytes<decltype(whole)>(to_bytes(carried));
        return result ? "nothing wrong" : result.error().message;
    };
    using Text = std::string;
    EXPECT_THAT(refused(Text("round"), core::LoopOptions()), HasSubstr("round"));
    EXPECT_THAT(refused(std::vector{std::pair(Text("a=b"), Text())}, core::Settings()),
                HasSubstr("a=b"));
    EXPECT_THAT(refused(std::pair(std::uint32_t{1}, std::uint32_t{0}), core::TickRate()),
                HasSubstr("above zero"));
    EXPECT_THAT(refused(std::pair(Text("x"), std::vector<CarriedFrames>()), Scheduled()),
                HasSubstr("column 1"));
    EXPECT_NE(refused(std::pair(Text("capture(\"a\")"), std::vector<CarriedFrames>()), Scheduled()),
              "nothing wrong");
    EXPECT_NE(refused(std::pair(Text("capture(\"a\")"),
                                std::vector<CarriedFrames>{std::vector<std::int64_t>{2, 1}}),
                      Scheduled()),
              "nothing wrong");
}

}  // namespace
}  // namespace isotick::harness
