// Peers in processes of their own.

#include "peer_trial.hpp"

#include <isotick/harness/detail/trial_runner.hpp>

#include <array>

#include <gmock/gmock.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

class PeerInAWorker : public tests::PeerTrial {
  protected:
    static WorkerOptions worker_options() {
        WorkerOptions options;
        options.executable = ISOTICK_PROGRAM;
        options.jobs = 2;
        options.timeout_ms = 2000;  // far more than loading and creating take on a busy machine
        options.memory_limit = std::uint64_t{512} << 20;
        return options;
    }

    std::vector<TrialResult> run_all(const char* simulation, std::span<const TrialPlan> plans,
                                     Isolation isolation = Isolation::forked) {
        const auto results = in_worker_processes(SimulationName::chosen(simulation),
                                                 worker_options())(plans, isolation);
        EXPECT_TRUE(results) << describe(results.error());
        return results.value_or(std::vector<TrialResult>(plans.size()));
    }

    void record_faulty(std::uint64_t ticks) {
        RecordPlan record;
        record.path = plan_.recording = folder_.file("s.isotick");
        record.setup.players = 3;
        record.ticks = ticks;
        const auto recorded =
            record_in_worker(SimulationName::chosen(ISOTICK_FAULTY), record, worker_options());
        ASSERT_TRUE(recorded && !recorded->error);
    }
};

TEST_F(PeerInAWorker, OfASessionAgreesWithTheOthers) {
    record("skirmish", 200);
    const auto inputs = tests::recorded_inputs(plan_.recording);
    std::vector<TrialPlan> plans;
    for (std::uint64_t peer = 0; peer < 4; ++peer) {
        plans.push_back(plan_);
        CourseRequest& request = plans.back().course.emplace();
        const std::string name = "peer" + std::to_string(peer);
        request.path = folder_.file(name);
        ASSERT_TRUE(write_course(request.path, tests::random_course(inputs, {.seed = peer})));
        request.recording = empty_file((name + ".isotick").c_str());
    }
    for (const Isolation isolation : {Isolation::forked, Isolation::fresh}) {
        for (const TrialResult& result : run_all("skirmish", plans, isolation)) {
            EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
            EXPECT_EQ(result.statistics.final_steps, 200U);
        }
    }
    for (const TrialPlan& plan : plans) {
        EXPECT_TRUE(content(plan.course->recording) == content(plan_.recording));
    }
}

TEST_F(PeerInAWorker, CrashesAndHangsInThatOneStep) {
    record_faulty(100);
    take(tests::one_rollback(100, 30, 15, 3));
    std::array<TrialPlan, 3> plans{plan_, plan_, plan_};
    constexpr std::array kWorkerFaults{"abort", "hang", "predicted-leak"};
    for (std::size_t i = 0; i < plans.size(); ++i) {
        ASSERT_TRUE(plans.at(i).environment.set("fault", kWorkerFaults.at(i)));
    }
    const auto results = run_all(ISOTICK_FAULTY, plans);
    EXPECT_EQ(results[0].verdict, Verdict::crashed);
    EXPECT_EQ(results[0].failed_in, (Place{Activity::stepping, {20}, 21}));
    EXPECT_EQ(results[1].verdict, Verdict::timed_out);
    EXPECT_EQ(results[1].failed_in, (Place{Activity::stepping, {20}, 21}));
    EXPECT_EQ(results[2].verdict, Verdict::identical) << results[2].reason;  // nothing was guessed
}

// A state of 20 MiB, in 512.
class BulkyPeer : public PeerInAWorker {
  protected:
    void SetUp() override {
        RecordPlan record;
        record.path = plan_.recording = folder_.file("s.isotick");
        ASSERT_TRUE(record.setup.config.set("mib", "20"));
        record.inputs = InputSource::none;
        record.ticks = 60;
        const auto recorded =
            record_in_worker(SimulationName::chosen(ISOTICK_BULKY), record, worker_options());
        ASSERT_TRUE(recorded && !recorded->error);
    }

    TrialResult run_peer(const Course& course) {
        take(course);
        return run_all(ISOTICK_BULKY, {&plan_, 1}).front();
    }
};

TEST_F(BulkyPeer, IsRefusedWhereItsSnapshotsDoNotFit) {
    const TrialResult result = run_peer(tests::one_rollback(60, 50, 50, 0));
    EXPECT_EQ(result.verdict, Verdict::inconclusive);
    EXPECT_THAT(result.reason, HasSubstr("which do not fit: raise --memory-limit"));
}

TEST_F(BulkyPeer, KeepsOnlyWhatItCanGoBackTo) {
    Course course = tests::one_rollback(60, 50, 3, 0);
    for (CourseStep& step : course.steps) {
        step.saves = true;
    }
    const TrialResult result = run_peer(course);
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
}

}  // namespace
}  // namespace isotick::harness
