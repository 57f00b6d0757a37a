// From a failing session to the smallest that still fails, with real trials in worker processes.

#include "provoking_input.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/minimize.hpp>
#include <isotick/harness/detail/shrink.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMinimizedTicks = 36'000;  // ten minutes at 60 Hz

WorkerOptions minimize_options() {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    return options;
}

core::Schedule minimized_schedule(const char* text) {
    return core::Schedule::parse(text).value();
}

class Minimize : public ::testing::Test {
  protected:
    void SetUp() override {
        RecordPlan plan;
        plan.path = path();
        plan.setup.players = 4;
        plan.ticks = kMinimizedTicks;
        const auto recorded =
            record_in_worker(SimulationName::chosen(ISOTICK_PROVOKED), plan, minimize_options());
        ASSERT_TRUE(recorded) << describe(recorded.error());
        ASSERT_FALSE(recorded->error) << describe(*recorded->error);
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    [[nodiscard]] std::string cell(std::uint64_t tick, std::uint32_t player) const {
        return tests::provoking_input(path(), tick, player);
    }

    [[nodiscard]] TrialPlan plan(const core::Schedule& frames, const core::Settings& settings) {
        TrialPlan plan;
        plan.recording = path();
        plan.drive.schedule = frames;
        plan.environment = settings;
        return plan;
    }

    static TrialResult run(const TrialPlan& plan) {
        return in_worker_processes(SimulationName::chosen(ISOTICK_PROVOKED), minimize_options())(
                   std::array{plan}, Isolation::forked)
            .value()
            .front();
    }

    static BranchRunner branches() {
        return branches_in_worker_processes(SimulationName::chosen(ISOTICK_PROVOKED),
                                            minimize_options());
    }

    [[nodiscard]] FailingSides sides(const TrialPlan& failing) {
        return {plan(core::Schedule::nominal(), failing.environment), branches(), failing,
                branches(), run(failing)};
    }

    tests::ScratchFolder folder_;
};

TEST_F(Minimize, ShrinksAScheduleToTheHitchItNeeds) {
    const TrialPlan failing =
        plan(minimized_schedule("mix(seed=3)"), {});  // four ticks in a frame from tick 2000 on
    const TrialResult result = run(failing);
    ASSERT_TRUE(result.divergence);
    const auto shrunk = shrink(failing, result, core::TickRate(), {branches(), 0, {}});
    ASSERT_TRUE(shrunk && *shrunk);
    const core::Schedule& smaller = (*shrunk)->plan.drive.schedule;
    EXPECT_LE(smaller.items().size(), 3U) << smaller.to_string();
    EXPECT_LE((*shrunk)->how.trials, 60U);
    EXPECT_LE((*shrunk)->how.ticks, 5 * kMinimizedTicks);
    EXPECT_THAT((*shrunk)->how.unfinished, IsEmpty());
    const TrialResult again = run((*shrunk)->plan);
    ASSERT_TRUE(again.divergence) << smaller.to_string();
    EXPECT_LE(again.divergence->computed.ticks_done, result.divergence->computed.ticks_done);
    RecordProperty("trials", static_cast<int>((*shrunk)->how.trials));
    RecordProperty("ticks", static_cast<int>((*shrunk)->how.ticks));
}

TEST_F(Minimize, WithoutBranchesComesToTheSame) {
    const TrialPlan failing = plan(minimized_schedule("mix(seed=3)"), {});
    const TrialResult result = run(failing);
    const auto branched = shrink(failing, result, core::TickRate(), {branches(), 0, {}});
    const auto whole = shrink(failing, result, core::TickRate(),
                              {without_branches(in_worker_processes(
                                   SimulationName::chosen(ISOTICK_PROVOKED), minimize_options())),
                               kMinimizedTicks * 100,
                               {}});
    ASSERT_TRUE(branched && *branched && whole && *whole);
    EXPECT_EQ((*branched)->plan.drive.schedule, (*whole)->plan.drive.schedule);
    EXPECT_EQ((*branched)->how.trials, (*whole)->how.trials);
    EXPECT_LT((*branched)->how.ticks, (*whole)->how.ticks);
}

TEST_F(Minimize, StopsWhenItIsToldWithTheBestSoFar) {
    const TrialPlan failing = plan(minimized_schedule("mix(seed=3)"), {});
    const TrialResult result = run(failing);
    int asked = 0;
    const auto shrunk = shrink(failing, result, core::TickRate(),
                               {branches(), 0, [&asked] { return ++asked > 3; }});
    ASSERT_TRUE(shrunk && *shrunk);
    EXPECT_EQ((*shrunk)->how.trials, 3U);
    EXPECT_EQ((*shrunk)->how.unfinished, "it was interrupted");
    EXPECT_TRUE(run((*shrunk)->plan).divergence);
}

TEST_F(Minimize, FindsTheThreeInputsThatAFaultNeeds) {
    core::Settings settings;
    ASSERT_TRUE(settings.set("after", "0"));
    ASSERT_TRUE(
        settings.set("inputs", cell(5003, 0) + "," + cell(12'345, 2) + "," + cell(20'011, 3)));
    const TrialPlan failing = plan(minimized_schedule("20008xnominal, 67ms"), settings);
    ASSERT_EQ(run(failing).divergence->computed.ticks_done, 20'012U);
    const auto fewer = shrink_inputs_of(sides(failing), core::Tick{20'011}, {});
    ASSERT_TRUE(fewer) << describe(fewer.error());
    EXPECT_THAT(fewer->kept,
                ElementsAre(KeptInput{core::Tick{5003}, 0}, KeptInput{core::Tick{12'345}, 2},
                            KeptInput{core::Tick{20'011}, 3}));
    EXPECT_EQ(fewer->diverged_at, core::Tick{20'011});
    EXPECT_LE(fewer->ticks, 60 * kMinimizedTicks);
    EXPECT_THAT(fewer->unfinished, IsEmpty());
    RecordProperty("trials", static_cast<int>(fewer->trials));
    RecordProperty("ticks", static_cast<int>(fewer->ticks));
}

TEST_F(Minimize, NeedsNoInputWhereTheFaultNeedsNone) {
    const TrialPlan failing = plan(minimized_schedule("2000xnominal, 67ms"), {});
    const auto fewer = shrink_inputs_of(sides(failing), core::Tick{2003}, {});
    ASSERT_TRUE(fewer) << describe(fewer.error());
    EXPECT_THAT(fewer->kept, IsEmpty());
    EXPECT_EQ(fewer->trials, 1U);
}

TEST_F(Minimize, FindsTheInputThatACrashNeeds) {
    core::Settings settings;
    ASSERT_TRUE(settings.set("after", "0"));
    ASSERT_TRUE(settings.set("crash", "1"));
    ASSERT_TRUE(settings.set("inputs", cell(203, 1)));
    const TrialPlan failing = plan(minimized_schedule("400xnominal, 67ms"), settings);
    ASSERT_EQ(run(failing).verdict, Verdict::crashed);
    const auto fewer = shrink_inputs_of(sides(failing), core::Tick{403}, {});
    ASSERT_TRUE(fewer) << describe(fewer.error());
    EXPECT_THAT(fewer->kept, ElementsAre(KeptInput{core::Tick{203}, 1}));
    EXPECT_EQ(fewer->diverged_at, core::Tick{403});
}

TEST_F(Minimize, CutsASessionWhereItsHashesAreWhole) {
    const std::string small = folder_.file("small.isotick");
    const auto ticks = cut_session({path(), small, core::Tick{2003}, false, kReproNote, "x | y"});
    ASSERT_TRUE(ticks) << describe(ticks.error());
    EXPECT_GT(*ticks, 2003U);
    EXPECT_LE(*ticks, 2003U + 60);
    const auto survey = replay::survey(small);
    ASSERT_TRUE(survey);
    EXPECT_EQ(survey->ticks, *ticks);
    EXPECT_EQ(replay::Reader::open(small)->head().notes.find(kReproNote), "x | y");
    TrialPlan replayed = plan(core::Schedule::nominal(), {});
    replayed.recording = small;
    EXPECT_EQ(run(replayed).verdict, Verdict::identical);
    EXPECT_FALSE(cut_session({path(), small, core::Tick{5}, false, kReproNote, "x"}));
}

TEST(Repro, ReadsBack) {
    const auto repro = parse_drive("ranged(least=5ms, most=20ms) | 2290xnominal, 101.4ms");
    ASSERT_TRUE(repro) << describe(repro.error());
    EXPECT_EQ(to_string(*repro), "ranged(least=5ms, most=20ms) | 2290xnominal, 101.4ms");
}

TEST(Repro, OfNonsenseIsAnError) {
    for (const char* text :
         {"", "accumulator", "accumulator | ", "x | nominal", "nominal | 60hz"}) {
        EXPECT_FALSE(parse_drive(text)) << text;
    }
}

}  // namespace
}  // namespace isotick::harness
