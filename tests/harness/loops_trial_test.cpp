// Trials under loops that do more than step forward: on a thread of their own, back in time, and
// without a picture for every frame.

#include "piles/piles.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

// What the host did with the simulation behind WatchedTable. One at a time: tables are C.
struct Calls {
    std::set<std::thread::id> steppers;
    std::set<std::thread::id> hosts;
    int loads = 0;
    int renders = 0;
    int frames = 0;
    bool concurrent = false;
};
Calls calls;
std::atomic<bool> in_a_call = false;
const isotick_simulation_table* watched = nullptr;

/// For the length of one call.
class Busy {
  public:
    Busy() { calls.concurrent = in_a_call.exchange(true) || calls.concurrent; }
    ~Busy() { in_a_call = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
};

/// Another table, which must outlive it, and a count of what is called.
isotick_simulation_table watch(const isotick_simulation_table& table) {
    watched = &table;
    isotick_simulation_table copy = table;
    copy.begin_frame = [](isotick_simulation* simulation, int64_t time, isotick_message* message) {
        const Busy busy;
        ++calls.frames;
        calls.hosts.insert(std::this_thread::get_id());
        return watched->begin_frame == nullptr ? ISOTICK_OK
                                               : watched->begin_frame(simulation, time, message);
    };
    copy.step = [](isotick_simulation* simulation, const isotick_step* step,
                   isotick_message* message) {
        const Busy busy;
        calls.steppers.insert(std::this_thread::get_id());
        return watched->step(simulation, step, message);
    };
    copy.render = [](isotick_simulation* simulation, double alpha, isotick_message* message) {
        const Busy busy;
        ++calls.renders;
        calls.hosts.insert(std::this_thread::get_id());
        return watched->render == nullptr ? ISOTICK_OK
                                          : watched->render(simulation, alpha, message);
    };
    copy.load = [](isotick_simulation* simulation, const uint8_t* data, uint64_t size,
                   isotick_message* message) {
        const Busy busy;
        ++calls.loads;
        return watched->load(simulation, data, size, message);
    };
    return copy;
}

class LoopsTrial : public ::testing::Test {
  protected:
    TrialResult run(const char* simulation, const char* loop, const char* schedule) {
        const isotick_simulation_table& table = *core::find_simulation(simulation);
        record(table);
        return replay(watch(table), loop, schedule);
    }

    void record(const isotick_simulation_table& table) {
        RecordPlan plan;
        plan.path = plan_.recording = folder_.file("s.isotick");
        plan.setup.players = table.info->usual_players;
        plan.ticks = 600;
        plan.overwrite = true;
        const auto recorded = run_record(plan, table, progress_);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    }

    TrialResult replay(const isotick_simulation_table& table, const char* loop,
                       const char* schedule) {
        calls = Calls();
        plan_.drive.loop = core::parse_loop(loop).value();
        plan_.drive.schedule = core::Schedule::parse(schedule).value();
        return run_trial(plan_, table, progress_);
    }

    tests::ScratchFolder folder_;
    Progress progress_;
    TrialPlan plan_;
};

TEST_F(LoopsTrial, StepOnAThreadOfTheirOwnButNeverBesideTheHost) {
    const TrialResult result = run("skirmish", "threaded", "mix(seed=1)");
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(calls.steppers.size(), 1U);
    EXPECT_EQ(calls.hosts, std::set{std::this_thread::get_id()});
    EXPECT_FALSE(calls.steppers.contains(std::this_thread::get_id()));
    EXPECT_FALSE(calls.concurrent);
}

TEST_F(LoopsTrial, StepOnTheHostsThreadOtherwise) {
    run("skirmish", "accumulator", "mix(seed=1)");
    EXPECT_EQ(calls.steppers, std::set{std::this_thread::get_id()});
}

TEST_F(LoopsTrial, GoBackInTimeAndComeToTheSameStates) {
    for (const char* schedule :
         {"backwards(60hz, 10%, 100ms, seed=1)", "30xnominal, 20x-100ms, 400xnominal",
          "20x250ms, 30x-200ms, 100xnominal"}) {
        const TrialResult result = run("skirmish", "reversible", schedule);
        EXPECT_EQ(result.verdict, Verdict::identical) << schedule << ": " << result.reason;
        EXPECT_GT(calls.loads, 5) << schedule;
        EXPECT_GT(result.statistics.ticks, 600U) << schedule;
    }
}

TEST_F(LoopsTrial, GoBackToWhatASnapshotLacks) {
    const TrialResult result =
        run("fault:missing-from-save", "reversible", "backwards(60hz, 10%, 100ms, seed=1)");
    EXPECT_EQ(result.verdict, Verdict::diverged) << result.reason;
}

TEST_F(LoopsTrial, GoBackOnlyWhereThereAreSnapshots) {
    isotick_info info = *core::find_simulation("skirmish")->info;
    info.capabilities &= ~ISOTICK_CAN_SAVE;
    record(*core::find_simulation("skirmish"));
    isotick_simulation_table table = watch(*core::find_simulation("skirmish"));
    table.info = &info;
    const TrialResult result = replay(table, "reversible", "30xnominal, -100ms, nominal");
    ASSERT_TRUE(result.refused);
    EXPECT_EQ(result.refused->code, core::ErrorCode::usage);
    EXPECT_THAT(result.refused->message, HasSubstr("needs a simulation that takes snapshots"));
    EXPECT_EQ(replay(table, "reversible", "30hz").verdict, Verdict::identical);
}

// Ticks that are done again and again are no progress, so the trial ends.
TEST_F(LoopsTrial, EndWhereTimeNeverGetsOn) {
    const TrialResult result = run("spring", "reversible", "100ms, -100ms");
    EXPECT_EQ(result.verdict, Verdict::inconclusive);
    EXPECT_THAT(result.reason, HasSubstr("too little time passes"));
}

TEST_F(LoopsTrial, RenderNothingWhereNothingIsNew) {
    EXPECT_EQ(run("skirmish", "accumulator", "120hz").verdict, Verdict::identical);
    EXPECT_GE(calls.renders, calls.frames - 1);
    EXPECT_EQ(run("skirmish", "accumulator(render=stepped)", "120hz").verdict, Verdict::identical);
    EXPECT_GT(calls.frames, 1100);
    EXPECT_NEAR(calls.renders, 600, 2);
}

}  // namespace
}  // namespace isotick::harness
