// Trials that go on from where another waits are the trials they would have been from their
// beginning, and cost less.

#include "provoking_input.hpp"
#include "run/job.hpp"
#include "support/scratch_folder.hpp"
#include "system/posix.hpp"

#include <isotick/harness/detail/trial_runner.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kTicks = 3000;

WorkerOptions worker_options() {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    options.timeout_ms = 2000;
    return options;
}

core::Schedule schedule(const char* text) {
    return core::Schedule::parse(text).value();
}

class Branches : public ::testing::Test {
  protected:
#if defined(__SANITIZE_THREAD__)
    void SetUp() override {
        GTEST_SKIP() << "ThreadSanitizer has a thread, and processes with threads are not forked";
    }
#endif

    void record(const std::string& name, std::uint32_t players,
                InputSource inputs = InputSource::bot) {
        simulation_ = SimulationName::chosen(name);
        RecordPlan plan;
        plan.path = folder_.file("s.isotick");
        plan.setup.players = players;
        plan.ticks = kTicks;
        plan.inputs = inputs;
        const auto recorded = record_in_worker(simulation_, plan, worker_options());
        ASSERT_TRUE(recorded) << describe(recorded.error());
        ASSERT_FALSE(recorded->error) << describe(*recorded->error);
        run_ = branches_in_worker_processes(simulation_, worker_options());
    }

    [[nodiscard]] TrialPlan plan(const char* frames) const {
        TrialPlan plan;
        plan.recording = folder_.file("s.isotick");
        plan.drive.schedule = schedule(frames);
        return plan;
    }

    [[nodiscard]] std::string cell(std::uint64_t tick, std::uint32_t player) const {
        return tests::provoking_input(folder_.file("s.isotick"), tick, player);
    }

    // The ticks that it took, and the result the same as from the beginning.
    std::uint64_t run(const TrialPlan& plan, std::uint64_t shared_frames) {
        const auto branched = run_(plan, std::array{shared_frames});
        const auto whole =
            in_worker_processes(simulation_, worker_options())(std::array{plan}, Isolation::forked);
        EXPECT_TRUE(branched) << describe(branched.error());
        EXPECT_EQ(to_bytes(Response(branched->result)), to_bytes(Response(whole->front())));
        last_ = branched->result;
        return branched->ticks_run;
    }

    tests::ScratchFolder folder_;
    SimulationName simulation_ = SimulationName::chosen("");
    BranchRunner run_;
    TrialResult last_;
};

TEST_F(Branches, RunWhatTheyShareOnce) {
    record(ISOTICK_PROVOKED, 1);
    EXPECT_EQ(run(plan("2500xnominal, 101.4ms"), 2000), 2504);
    EXPECT_EQ(last_.divergence->computed.ticks_done, 2504);
    EXPECT_EQ(run(plan("2200xnominal, 300xnominal, 80ms, 10xnominal"), 2000), 504);
    EXPECT_EQ(last_.verdict, Verdict::diverged);
}

TEST_F(Branches, WaitBehindEachOther) {
    record(ISOTICK_PROVOKED, 1);
    EXPECT_EQ(run(plan("1000xnominal, 20ms, 5ms, 3000xnominal"), 1000), kTicks);
    EXPECT_EQ(run(plan("1500xnominal, 20ms, 5ms, 3000xnominal"), 1500), kTicks - 1000);
    EXPECT_EQ(run(plan("2000xnominal, 20ms, 5ms, 3000xnominal"), 2000), kTicks - 1500);
    EXPECT_EQ(run(plan("1600xnominal, 100ms, 3000xnominal"), 1500), kTicks - 1500);
    EXPECT_EQ(run(plan("3100xnominal"), 0), kTicks - 1500);
}

TEST_F(Branches, AreDroppedByAPlanThatBeginsOtherwise) {
    record(ISOTICK_PROVOKED, 1);
    EXPECT_EQ(run(plan("3100xnominal"), 2500), kTicks);
    EXPECT_EQ(run(plan("2100xnominal, 80ms, 3000xnominal"), 2100), 2104);
    TrialPlan other = plan("3100xnominal");
    ASSERT_TRUE(other.environment.set("ticks", "1"));
    run(other, 0);
    EXPECT_EQ(last_.divergence->computed.ticks_done, 2001);
    EXPECT_EQ(run(plan("3100xnominal"), 0), kTicks);
}

TEST_F(Branches, ChangeInputsFromThereOn) {
    record(ISOTICK_PROVOKED, 2);
    TrialPlan held = plan("3100xnominal");
    ASSERT_TRUE(held.environment.set("ticks", "1"));
    ASSERT_TRUE(held.environment.set("inputs", cell(100, 0) + "," + cell(2600, 1)));
    run(held, 2500);
    EXPECT_EQ(last_.divergence->computed.ticks_done, 2601);
    TrialPlan released = held;
    released.inputs = {{.player = 1, .first = core::Tick{2550}, .last = core::Tick{2650}}};
    EXPECT_EQ(run(released, 0), 51);
    released.inputs.front().first = core::Tick{2499};
    EXPECT_EQ(run(released, 0), 2500);
    TrialPlan kept = held;
    kept.inputs = {{.player = 1,
                    .first = core::Tick{2550},
                    .last = core::Tick{2650},
                    .kind = InputEditKind::hold}};
    run(held, 2500);
    EXPECT_EQ(run(kept, 0), 51);
    EXPECT_EQ(last_.divergence->computed.ticks_done, 2551);
}

TEST_F(Branches, CompareWithHashesThatAnotherWrote) {
    record(ISOTICK_PROVOKED, 1);
    std::string path;
    const auto file = temporary_file(path);
    TrialPlan writing = plan("nominal");
    writing.hashes = HashFile{path, HashFile::Use::write};
    writing.inputs = without_inputs();
    run(writing, 0);
    TrialPlan comparing = plan("2500xnominal, 101.4ms");
    comparing.hashes = HashFile{path, HashFile::Use::compare};
    comparing.inputs = without_inputs();
    run(comparing, 1000);
    EXPECT_EQ(last_.divergence->computed.ticks_done, 2504);
    comparing.inputs = {{.first = core::Tick{8}, .last = core::Tick{3000}}};
    EXPECT_EQ(run(comparing, 0), 1);
    std::remove(path.c_str());
}

TEST_F(Branches, OutliveTrialsThatCrashAndHang) {
    record(ISOTICK_FAULTY, 1);
    TrialPlan fine = plan("3100xnominal");
    EXPECT_EQ(run(fine, 0), kTicks);
    for (const char* fault : {"abort", "hang"}) {
        TrialPlan faulty = fine;
        ASSERT_TRUE(faulty.environment.set("fault", fault));
        ASSERT_TRUE(faulty.environment.set("at", "2000"));
        run(faulty, 1000);
        EXPECT_THAT(last_.reason, HasSubstr("tick 2000"));
        run(faulty, 1500);
        EXPECT_EQ(run(fine, 0), kTicks);
    }
}

TEST_F(Branches, RunFromTheBeginningWhereTheSimulationHasThreads) {
    record(ISOTICK_LOADING_THREAD, 0, InputSource::none);
    EXPECT_EQ(run(plan("3100xnominal"), 2000), kTicks);
    EXPECT_EQ(run(plan("2500xnominal, 20ms, 3000xnominal"), 2000), kTicks);
}

}  // namespace
}  // namespace isotick::harness
