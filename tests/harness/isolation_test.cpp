// What a simulation does to its process is a verdict with its tick, and the other trials go on.

#include "support/scratch_folder.hpp"

#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/detail/trial_runner.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WorkerOptions isolated_options() {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    options.jobs = 2;
    options.timeout_ms = 2000;  // far more than loading and creating take on a busy machine
    options.memory_limit = std::uint64_t{512} << 20;
    return options;
}

core::Settings isolated_environment(const std::string& fault, const std::string& call) {
    core::Settings settings;
    EXPECT_TRUE(settings.set("fault", fault));
    EXPECT_TRUE(settings.set("in", call));
    return settings;
}

class Isolation_ : public ::testing::Test {
  protected:
    void SetUp() override {
        RecordPlan plan;
        plan.path = folder_.file("s.isotick");
        plan.setup.players = 1;
        plan.ticks = 40;
        const auto recorded =
            record_in_worker(SimulationName::chosen(ISOTICK_FAULTY), plan, isolated_options());
        ASSERT_TRUE(recorded) << describe(recorded.error());
        ASSERT_FALSE(recorded->error) << describe(*recorded->error);
    }

    [[nodiscard]] TrialPlan plan(const std::string& fault, const std::string& call) const {
        TrialPlan plan;
        plan.recording = folder_.file("s.isotick");
        plan.environment = isolated_environment(fault, call);
        return plan;
    }

    tests::ScratchFolder folder_;
};

struct IsolatedFault {
    const char* fault;
    const char* call;
    Verdict verdict;
    const char* reason;
};

void PrintTo(const IsolatedFault& fault, std::ostream* out) {
    *out << fault.fault << " in " << fault.call;
}

class IsolationTest : public Isolation_, public ::testing::WithParamInterface<IsolatedFault> {};

TEST_P(IsolationTest, AFaultIsAVerdictThatNamesItsTick) {
    const auto [fault, call, verdict, reason] = GetParam();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (std::string_view(fault) == "memory") {
        GTEST_SKIP() << "a sanitized process has no memory limit";
    }
#endif
    const std::array plans{plan("silent", "step"), plan(fault, call), plan("silent", "step")};
    const TrialRunner run =
        in_worker_processes(SimulationName::chosen(ISOTICK_FAULTY), isolated_options());
    for (const auto isolation : {harness::Isolation::forked, harness::Isolation::fresh}) {
        const auto results = run(plans, isolation);
        ASSERT_TRUE(results) << describe(results.error());
        EXPECT_EQ((*results)[0].verdict, Verdict::identical) << (*results)[0].reason;
        EXPECT_EQ((*results)[1].verdict, verdict) << (*results)[1].reason;
        EXPECT_THAT((*results)[1].reason, HasSubstr(reason));
        EXPECT_EQ((*results)[2].verdict, Verdict::identical) << (*results)[2].reason;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Worker, IsolationTest,
    ::testing::Values(
        IsolatedFault{"abort", "step", Verdict::crashed, "signal 6 (Aborted) in step of tick 20"},
        IsolatedFault{"segfault", "step", Verdict::crashed,
                      "signal 11 (Segmentation fault) in step of tick 20"},
        IsolatedFault{"stack", "step", Verdict::crashed, "(Segmentation fault) in step of tick 20"},
        IsolatedFault{"exit", "step", Verdict::crashed, "exit code 0 in step of tick 20"},
        IsolatedFault{
            "kill", "step", Verdict::crashed,
            "signal 9 (Killed) in step of tick 20, and before that when it was run first"},
        IsolatedFault{"throw", "step", Verdict::crashed, "tick 20: step failed: planted"},
        IsolatedFault{"throw-int", "step", Verdict::crashed, "tick 20: step failed: an exception"},
        IsolatedFault{"hang", "step", Verdict::timed_out,
                      "no progress for 2000 ms in step of tick 20"},
        IsolatedFault{"memory", "step", Verdict::crashed, "tick 20: step failed: std::bad_alloc"},
        IsolatedFault{"abort", "render", Verdict::crashed, "in render after tick 20"},
        IsolatedFault{"abort", "hash", Verdict::crashed, "in hash after tick 20"},
        IsolatedFault{"abort", "begin_frame", Verdict::crashed, "in begin_frame, before tick 2"},
        IsolatedFault{"abort", "create", Verdict::crashed, "in create, before tick 0"},
        IsolatedFault{"throw", "create", Verdict::crashed, "create failed: planted"},
        IsolatedFault{"hang", "create", Verdict::timed_out, "in create, before tick 0"},
        IsolatedFault{"abort", "destroy", Verdict::crashed, "in destroy after tick 39"}));

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Faults that happen once: the first process that comes to tick 20 has them.
class Once : public Isolation_ {
  protected:
    [[nodiscard]] core::Settings once(const std::string& fault) const {
        core::Settings settings = isolated_environment(fault, "step");
        EXPECT_TRUE(settings.set("once", folder_.file("done")));
        return settings;
    }

    WorkerOptions noting() {
        WorkerOptions options = isolated_options();
        options.on_remark = [this](const std::string& text) { remarks_.push_back(text); };
        return options;
    }

    TrialResult run_with(const std::string& fault) {
        TrialPlan with_fault = plan(fault, "step");
        with_fault.environment = once(fault);
        const auto results = in_worker_processes(SimulationName::chosen(ISOTICK_FAULTY), noting())(
            std::array{with_fault}, harness::Isolation::forked);
        EXPECT_TRUE(results) << describe(results.error());
        return results ? results->front() : TrialResult();
    }

    std::vector<std::string> remarks_;
};

constexpr const char* kKilledOnce =
    "a worker was killed by signal 9 (Killed) in step of tick 20, from outside; its trial runs "
    "again in a fresh process";

TEST_F(Once, AKillFromOutsideIsNoVerdict) {
    const TrialResult result = run_with("kill");
    EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    EXPECT_EQ(result.statistics.ticks, 40U);
    EXPECT_THAT(remarks_, ElementsAre(kKilledOnce));
}

TEST_F(Once, ARecordingWhoseWorkerIsKilledIsMadeAgain) {
    RecordPlan record;
    record.path = folder_.file("again.isotick");
    record.setup.players = 1;
    record.setup.environment = once("kill");
    record.ticks = 40;
    const auto recorded =
        record_in_worker(SimulationName::chosen(ISOTICK_FAULTY), record, noting());
    ASSERT_TRUE(recorded) << describe(recorded.error());
    ASSERT_FALSE(recorded->error) << describe(*recorded->error);
    EXPECT_THAT(remarks_, ElementsAre(kKilledOnce));
    EXPECT_EQ(content_of(record.path), content_of(folder_.file("s.isotick")));
}

TEST_F(Once, ACrashThatDoesNotHappenAgainIsNondeterministic) {
    for (const auto& [fault, reason] :
         {std::pair("abort", "killed by signal 6 (Aborted) in step of tick 20"),
          std::pair("throw", "tick 20: step failed: planted")}) {
        const TrialResult result = run_with(fault);
        EXPECT_EQ(result.verdict, Verdict::nondeterministic) << result.reason;
        EXPECT_EQ(result.reason, "it crashed (" + std::string(reason) +
                                     "); the same trial in a fresh process was identical");
        EXPECT_TRUE(std::filesystem::remove(folder_.file("done")));
    }
    EXPECT_THAT(remarks_, ElementsAre());
}

using Output = Isolation_;

TEST_F(Output, IsKeptWithItsTrialAndBounded) {
    TrialPlan printing = plan("print", "step");
    const auto results =
        in_worker_processes(SimulationName::chosen(ISOTICK_FAULTY), isolated_options())(
            std::array{plan("silent", "step"), printing}, harness::Isolation::forked);
    ASSERT_TRUE(results);
    EXPECT_EQ((*results)[0].output, "");
    EXPECT_THAT((*results)[1].output, ::testing::StartsWith("tick 0 of the simulation\n"));
    EXPECT_THAT((*results)[1].output, ::testing::EndsWith("tick 39 of the simulation\n"));
}

TEST(Worker, ASimulationThatEndsItsProcessWhileLoadingIsAnErrorThatSaysSo) {
    const auto facts =
        facts_from_worker(SimulationName::chosen(ISOTICK_LOADING_ABORT), isolated_options());
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, core::ErrorCode::simulation);
    EXPECT_THAT(facts.error().message, HasSubstr("(Aborted) while loading the simulation"));
}

// Forked, the first step would wait for a thread that the fork left behind.
TEST(Worker, ASimulationWhoseLoadingStartsThreadsIsExecutedAfreshForEachTrial) {
    const tests::ScratchFolder folder;
    RecordPlan record;
    record.path = folder.file("s.isotick");
    record.setup.players = 1;
    record.inputs = InputSource::random;
    record.ticks = 40;
    const auto recorded = record_in_worker(SimulationName::chosen(ISOTICK_LOADING_THREAD), record,
                                           isolated_options());
    ASSERT_TRUE(recorded) << describe(recorded.error());
    ASSERT_FALSE(recorded->error) << describe(*recorded->error);

    TrialPlan plan;
    plan.recording = record.path;
    const auto results =
        in_worker_processes(SimulationName::chosen(ISOTICK_LOADING_THREAD), isolated_options())(
            std::array{plan, plan, plan}, harness::Isolation::forked);
    ASSERT_TRUE(results) << describe(results.error());
    for (const TrialResult& result : *results) {
        EXPECT_EQ(result.verdict, Verdict::identical) << result.reason;
    }
}

TEST(Worker, AProgramThatCannotBeStartedIsAnError) {
    WorkerOptions options = isolated_options();
    options.executable = "/nowhere/isotick";
    const auto results = in_worker_processes(SimulationName::chosen("spring"), options)(
        std::array{TrialPlan()}, harness::Isolation::forked);
    ASSERT_FALSE(results);
    EXPECT_THAT(results.error().message, HasSubstr("cannot start a worker process"));
}

}  // namespace
}  // namespace isotick::harness
