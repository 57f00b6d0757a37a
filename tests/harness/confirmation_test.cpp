// What must be the same before anything is said to have diverged, and what else is tried where the
// nominal trial fails.

#include "study/confirmation.hpp"

#include "study/cause.hpp"
#include "study/chance.hpp"
#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kConfirmedAt = 77;

core::Settings fault(const std::string& name) {
    core::Settings settings;
    EXPECT_TRUE(settings.set("fault", name));
    EXPECT_TRUE(settings.set("at", std::to_string(kConfirmedAt)));
    return settings;
}

class Confirming : public ::testing::Test {
  protected:
    void record(const core::Settings& environment = {}) {
        RecordPlan plan;
        plan.path = path();
        plan.overwrite = true;
        plan.setup.players = 1;
        plan.setup.environment = environment;
        plan.ticks = 150;
        ASSERT_FALSE(run_record(plan, table_, progress_).error);
    }

    /// Whether the run of that number, from 1, of a trial with this schedule goes wrong.
    using Script = std::function<bool(const std::string& schedule, std::size_t run)>;

    // Runs in this process, said to be fresh ones where those are asked for, and goes wrong as the
    // script says; all trials without inputs go right.
    TrialRunner scripted(Script script) {
        return [this, script = std::move(script)](
                   std::span<const TrialPlan> plans,
                   harness::Isolation isolation) -> core::Result<std::vector<TrialResult>> {
            std::vector<TrialResult> results;
            for (TrialPlan plan : plans) {
                const std::string schedule = plan.drive.schedule.to_string();
                const bool wrong = plan.inputs.empty() && script(schedule, ++runs_[schedule]);
                plan.environment = wrong ? fault("build") : core::Settings();
                results.push_back(run_trial(plan, table_, progress_));
                results.back().fresh = isolation != harness::Isolation::forked;
            }
            return results;
        };
    }

    VerifyReport verify(Script script, VerifyOptions options = {}) {
        options.trials = 8;
        const auto report = harness::verify(path(), options, scripted(std::move(script)));
        EXPECT_TRUE(report) << describe(report.error());
        return report.value_or(VerifyReport());
    }

    static SimulationName simulation() { return SimulationName::chosen(ISOTICK_FAULTY); }

    static WorkerOptions workers() {
        WorkerOptions options;
        options.executable = ISOTICK_PROGRAM;
        return options;
    }

    // In processes of their own.
    VerifyReport verify(const core::Settings& environment) {
        VerifyOptions options;
        options.trials = 30;
        options.environment = environment;
        options.explain.record = [](const RecordPlan& plan) {
            return record_in_worker(simulation(), plan, workers());
        };
        const auto report =
            harness::verify(path(), options, in_worker_processes(simulation(), workers()));
        EXPECT_TRUE(report) << describe(report.error());
        return report.value_or(VerifyReport());
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<tests::Faulty>();
    Progress progress_;
    std::map<std::string, std::size_t> runs_;
};

bool is_nominal(const std::string& schedule) {
    return schedule == "nominal";
}

TEST_F(Confirming, ADivergenceThatIsTheSameEveryTimeIsOne) {
    record();
    const auto report =
        verify([](const auto& schedule, std::size_t) { return !is_nominal(schedule); });
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_EQ(report.failures.size(), 7U);
}

TEST_F(Confirming, OneTrialThatIsNotTheSameDecidesTheVerdictAndOneThatIsIsShown) {
    record();
    std::string odd;
    const auto report = verify([&odd](const auto& schedule, std::size_t run) {
        odd = odd.empty() && !is_nominal(schedule) ? schedule : odd;
        return !is_nominal(schedule) && !(schedule == odd && run == 2);
    });
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    ASSERT_EQ(report.failures.size(), 7U);
    EXPECT_EQ(report.failures[0].result.verdict, Verdict::nondeterministic);
    EXPECT_FALSE(report.failures[0].explanation);
    const auto shown = std::ranges::find_if(
        report.failures, [](const FailedTrial& one) { return one.explanation.has_value(); });
    ASSERT_NE(shown, report.failures.end());
    EXPECT_EQ(shown->result.verdict, Verdict::diverged);
    EXPECT_EQ(shown->explanation->evidence, (Evidence{{8, 8}, {0, 8}}));
}

// It asked for the time and for random numbers.
TrialResult diverged_after_reads() {
    TrialResult result;
    result.verdict = Verdict::diverged;
    result.divergence.emplace().computed.steps = 20;
    result.reads = {{.source = Source::clock, .count = 1, .first = {}},
                    {.source = Source::chance, .count = 1, .first = {}}};
    return result;
}

// Few outcomes where a run goes wrong, and as many as runs behind it, unless random numbers are
// held.
TEST_F(Confirming, RunsAreAlikeOnlyWhereTheyStayAlike) {
    const TrialPlan plan;
    const TrialResult result = diverged_after_reads();
    std::uint64_t run_so_far = 0;
    const TrialRunner run = [&](std::span<const TrialPlan> plans,
                                Isolation) -> core::Result<std::vector<TrialResult>> {
        std::vector<TrialResult> results;
        for (const TrialPlan& one : plans) {
            const bool held = one.drive.varies("random");
            const std::uint64_t number = held ? 0 : ++run_so_far;
            TrialResult& ran = results.emplace_back(result);
            ran.divergence->computed.hash.value = one.drive.varies("clock") ? 1 : number;
            if (one.trace) {
                StateRecord& behind = ran.trace.emplace_back();
                behind.steps = one.trace->last;
                behind.hash.value = number;
            }
        }
        return results;
    };
    const auto found = find_chance(plan, result, run);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (std::vector<AxisValue>{{"random", "1"}}));
}

// As an interpreter whose hashes are random, and whose addresses depend on them. The clock does not
// matter.
TEST_F(Confirming, PlacesAndChanceArePinnedTogetherWhereNeitherAloneMakesRunsAlike) {
    const TrialPlan plan;
    const TrialResult result = diverged_after_reads();
    std::uint64_t run_so_far = 0;
    const TrialRunner run = [&](std::span<const TrialPlan> plans,
                                Isolation) -> core::Result<std::vector<TrialResult>> {
        std::vector<TrialResult> results;
        for (const TrialPlan& one : plans) {
            const bool pinned = one.drive.varies("random") && one.drive.varies("addresses");
            results.emplace_back(result).divergence->computed.hash.value =
                pinned ? 0 : ++run_so_far;
        }
        return results;
    };
    const auto by_chance = find_chance(plan, result, run);
    ASSERT_TRUE(by_chance);
    EXPECT_TRUE(by_chance->empty());
    const auto found = find_memory(plan, result, run);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (std::vector<AxisValue>{{"addresses", "fixed"}, {"random", "1"}}));
}

// A simulation with two faults: what memory holds matters to it as well.
TEST_F(Confirming, OnlyWhatAnAxisBringsAlongIsBlamedInItsPlace) {
    const TrialResult result = diverged_after_reads();
    for (const auto& [varied, blamed] :
         {std::pair<AxisValue, std::string>{{"locale", "comma"}, "environment-size"},
          {{"descriptors", "3"}, ""},
          {{"working-directory", "/"}, ""}}) {
        const TrialRunner run = [&, name = varied.axis](
                                    std::span<const TrialPlan> plans,
                                    Isolation) -> core::Result<std::vector<TrialResult>> {
            std::vector<TrialResult> results;
            for (const TrialPlan& one : plans) {
                const bool fails = one.drive.varies(name) || one.drive.varies("heap") ||
                                   one.drive.varies("environment-size");
                results.push_back(fails ? result : TrialResult());
            }
            return results;
        };
        TrialPlan plan;
        plan.drive.axes = {varied};
        const auto found = find_side_effect(plan, result, run);
        ASSERT_TRUE(found);
        EXPECT_EQ(*found ? (*found)->axes.at(0).axis : "", blamed);
    }
}

TEST_F(Confirming, WhatAPlaceboMovesTooIsTheHeaps) {
    record();
    const auto by_any = [](const Drive& drive) { return !drive.axes.empty(); };
    const auto by_clock = [](const Drive& drive) { return drive.varies("clock"); };
    for (const auto& [moved, blamed] :
         {std::pair<std::function<bool(const Drive&)>, std::string>{by_any, "heap"},
          {by_clock, "clock"}}) {
        const TrialRunner run = [&, moved = moved](
                                    std::span<const TrialPlan> plans,
                                    Isolation) -> core::Result<std::vector<TrialResult>> {
            std::vector<TrialResult> results;
            for (TrialPlan plan : plans) {
                const bool later = moved(plan.drive);
                plan.drive.axes.clear();
                plan.environment = fault("build");
                EXPECT_TRUE(!later || plan.environment.set("at", "78"));
                results.push_back(run_trial(plan, table_, progress_));
                results.back().fresh = true;
            }
            return results;
        };
        const auto report = harness::verify(path(), VerifyOptions(), run);
        ASSERT_TRUE(report) << describe(report.error());
        EXPECT_EQ(report->verdict, Verdict::nondeterministic);
        ASSERT_FALSE(report->failures.empty());
        ASSERT_TRUE(report->failures[0].explanation);
        const auto& provoking = report->failures[0].explanation->provoking_axes;
        ASSERT_EQ(provoking.size(), 1U);
        EXPECT_EQ(provoking[0].axis, blamed);
    }
}

TEST_F(Confirming, ATrialThatIsAnotherInItsNinthRunIsNondeterministic) {
    record();
    const auto report = verify(
        [](const auto& schedule, std::size_t run) { return !is_nominal(schedule) && run < 9; });
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
}

TEST_F(Confirming, ANominalTrialThatFailsInAFreshProcessIsNondeterminism) {
    record();
    const auto report = verify(
        [](const auto& schedule, std::size_t run) { return !is_nominal(schedule) || run == 4; });
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    const auto& failures = report.failures;
    const auto explained = std::ranges::find_if(
        failures, [](const FailedTrial& failure) { return failure.explanation.has_value(); });
    ASSERT_NE(explained, failures.end());
    EXPECT_EQ(explained->result.reason,
              "the nominal schedule was identical in one process and "
              "diverged at tick 77 in another");
    EXPECT_TRUE(is_plain(explained->plan));
    ASSERT_TRUE(explained->explanation->disagreement);
    EXPECT_EQ(explained->explanation->disagreement->ticks_done, kConfirmedAt + 1);
    EXPECT_TRUE(explained->explanation->disagreement->fields.known);
}

TEST_F(Confirming, WhatFailsNowAndThenIsShownWithNothingVariedIfItFailsThenToo) {
    record();
    for (const bool nominal_fails : {true, false}) {
        runs_.clear();
        const auto report = verify([=](const auto& schedule, std::size_t run) {
            return is_nominal(schedule) ? nominal_fails && run % 3 == 0 : run % 2 == 1;
        });
        EXPECT_EQ(report.verdict, Verdict::nondeterministic);
        const auto shown = std::ranges::find_if(
            report.failures, [](const FailedTrial& one) { return one.explanation.has_value(); });
        ASSERT_NE(shown, report.failures.end());
        EXPECT_EQ(is_plain(shown->plan), nominal_fails);
        EXPECT_EQ(shown->result.verdict, Verdict::nondeterministic);
        ASSERT_TRUE(shown->explanation->disagreement);
        EXPECT_EQ(shown->explanation->disagreement->ticks_done, kConfirmedAt + 1);
    }
}

TEST_F(Confirming, ANominalTrialThatFailsAfterTrialZeroIsNondeterministic) {
    record();
    VerifyOptions options;
    options.schedule = core::Schedule::nominal();
    const auto report = verify([](const auto&, std::size_t run) { return run > 1; }, options);
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    ASSERT_EQ(report.failures.size(), 1U);
    EXPECT_EQ(report.failures[0].number, 1U);
    EXPECT_EQ(report.failures[0].result.reason,
              "it diverged at tick 77; the same trial as trial 0 was identical");
}

TEST_F(Confirming, AReasonSaysWhatBothRunsCameTo) {
    TrialResult first;
    StateRecord& one = first.divergence.emplace().computed;
    one.ticks_done = one.steps = 20;
    TrialResult again;
    StateRecord& other = again.divergence.emplace().computed;
    other.ticks_done = other.steps = 17;
    confirm_divergence(first, again);
    EXPECT_EQ(first.reason,
              "it diverged at tick 19; the same trial in a fresh process diverged at tick 16");
}

TEST_F(Confirming, TrialsInFreshProcessesFindWhatForksShare) {
    record();
    const auto report = verify(fault("fresh"));
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    EXPECT_EQ(report.fresh_trials, kFreshTrials);
    EXPECT_EQ(report.failures.size(), kFreshTrials);  // not trial 0, nor those behind
    const auto explained = std::ranges::find_if(report.failures, [](const FailedTrial& failure) {
        return failure.explanation.has_value();
    });
    ASSERT_NE(explained, report.failures.end());
    const auto& diverged = explained->explanation->disagreement;
    ASSERT_TRUE(diverged);
    EXPECT_EQ(diverged->ticks_done, kConfirmedAt + 1);
    ASSERT_TRUE(diverged->fields.known) << diverged->fields.unknown;
    EXPECT_EQ(diverged->fields.differences.kinds.at(0).path, "counter");
}

TEST_F(Confirming, TheCleanTwinRunsAsManyInFreshProcesses) {
    record();
    const auto report = verify(fault("silent"));
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_EQ(report.fresh_trials, kFreshTrials);
    EXPECT_EQ(report.trials, 30U);
}

class NominalFailures : public Confirming {};

TEST_F(NominalFailures, OfAnotherBuildAreHeldAgainstAllElse) {
    record();
    const auto report = verify(fault("build"));
    EXPECT_EQ(report.verdict, Verdict::diverged);
    const auto& found = report.failures.at(0).explanation->nominal;
    ASSERT_TRUE(found);
    EXPECT_GE(found->fresh_processes, 8U);
    EXPECT_FALSE(found->varied.empty());
    EXPECT_TRUE(found->another_second);
    EXPECT_EQ(found->recorded_again, RecordedAgain::as_replayed);
}

TEST_F(NominalFailures, OfTheClockAreNondeterministicInAnotherSecond) {
    record();
    const auto report = verify(fault("second"));
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
}

TEST_F(NominalFailures, OfUnwrittenMemoryAreNondeterministicWithOtherBytesInIt) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's allocator fills memory as it likes";
#endif
    record();
    const auto report = verify(fault("heap"));
    EXPECT_EQ(report.verdict, Verdict::nondeterministic);
    EXPECT_THAT(report.failures.at(0).result.reason, HasSubstr("with heap=fill 165"));
}

TEST_F(NominalFailures, OfABotThatChangesTheStateAreOfRecordingAlone) {
    record(fault("bot"));
    const auto report = verify(fault("bot"));
    EXPECT_EQ(report.verdict, Verdict::diverged);
    const auto& found = report.failures.at(0).explanation->nominal;
    ASSERT_TRUE(found);
    EXPECT_EQ(found->recorded_again, RecordedAgain::as_before_by_bot);
}

TEST_F(NominalFailures, OfPartsInAnotherOrderAreRefusedAsThat) {
    record();
    VerifyOptions options;
    options.environment = fault("swapped");
    const auto report =
        harness::verify(path(), options, in_worker_processes(simulation(), workers()));
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message, HasSubstr("in another order than the recording: inputs, "
                                                  "counter instead of counter, inputs"));
}

// Nothing that a host does reaches it but ticks and inputs.
struct Unreached {
    static constexpr core::SimulationInfo kInfo{.name = "unreached"};
    void step(const core::Step& step) { counter += 1 + step.tick.value; }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter));
    }
    std::uint64_t counter = 0;
};

class NoFrames : public ::testing::Test {
  protected:
    void SetUp() override {
        RecordPlan plan;
        plan.path = path();
        plan.ticks = 100;
        plan.inputs = InputSource::none;
        Progress progress;
        ASSERT_FALSE(run_record(plan, table_, progress).error);
    }

    VerifyReport verify(const VerifyOptions& options = {}) {
        return harness::verify(path(), options, in_this_process(table_)).value();
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_ = core::simulation_table<Unreached>();
};

TEST_F(NoFrames, OfASimulationThatHearsOfNoneAreFewTrialsAndSaidToBeSo) {
    const VerifyReport report = verify();
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_FALSE(report.frames_reach_it);
    EXPECT_EQ(report.calls, HostCalls());
    EXPECT_EQ(report.trials, 1 + kFreshTrials);
}

TEST_F(NoFrames, ReachItThroughALoopThatGoesBack) {
    VerifyOptions options;
    options.trials = 20;
    options.loops.front().kind = core::LoopKind::reversible;
    const VerifyReport report = verify(options);
    EXPECT_TRUE(report.frames_reach_it);
    EXPECT_EQ(report.trials, 20U);
}

TEST_F(NoFrames, AreNoMoreThanWereAskedFor) {
    VerifyOptions options;
    options.trials = 5;
    EXPECT_EQ(verify(options).trials, 5U);
}

}  // namespace
}  // namespace isotick::harness
