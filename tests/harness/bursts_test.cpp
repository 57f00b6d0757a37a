// Trials that begin in the middle: what they would have been from their beginning, and at how many
// more places.

#include "run/job.hpp"
#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/harness/verify.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBurstTicks = 8000;

WorkerOptions burst_options(std::size_t jobs = 2) {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    options.timeout_ms = 2000;
    options.jobs = jobs;
    return options;
}

class Bursting : public ::testing::Test {
  protected:
#if defined(__SANITIZE_THREAD__)
    void SetUp() override {
        GTEST_SKIP() << "ThreadSanitizer has a thread, and processes with threads are not forked";
    }
#endif

    void record(const char* simulation, std::uint32_t players = 1) {
        simulation_ = SimulationName::chosen(simulation);
        RecordPlan plan;
        plan.path = path();
        plan.overwrite = true;
        plan.setup.players = players;
        plan.setup.environment = environment_;
        plan.ticks = kBurstTicks;
        const auto recorded = record_in_worker(simulation_, plan, burst_options());
        ASSERT_TRUE(recorded) << describe(recorded.error());
        ASSERT_FALSE(recorded->error) << describe(*recorded->error);
    }

    [[nodiscard]] TrialPlan plan(const std::string& frames, std::uint64_t most_steps = 0) const {
        TrialPlan plan;
        plan.recording = path();
        plan.environment = environment_;
        plan.drive.schedule = core::Schedule::parse(frames).value();
        plan.most_steps = most_steps;
        return plan;
    }

    // One that begins before that frame, with whatever frames follow.
    [[nodiscard]] Burst burst(std::uint64_t frame, const std::string& frames,
                              std::uint64_t ticks) const {
        return {frame, plan(std::to_string(frame) + "xnominal, " + frames, frame + ticks)};
    }

    [[nodiscard]] LedResults run(const std::vector<Burst>& bursts, bool lead_counts = true) const {
        const LedTrials trials{plan("nominal"), bursts, lead_counts};
        const auto results =
            bursts_in_worker_processes(simulation_, burst_options())({&trials, 1}, std::nullopt);
        EXPECT_TRUE(results) << describe(results.error());
        return results ? results->front() : LedResults();
    }

    [[nodiscard]] TrialResult run_whole(const TrialPlan& plan) const {
        const auto runner = in_worker_processes(simulation_, burst_options());
        return runner(std::array{plan}, Isolation::forked).value().front();
    }

    void expect_as_from_the_beginning(const std::vector<Burst>& bursts, bool lead_counts) {
        const LedResults results = run(bursts, lead_counts);
        EXPECT_EQ(results.why_none, "");
        ASSERT_EQ(results.bursts.size(), bursts.size());
        for (std::size_t i = 0; i < bursts.size(); ++i) {
            ASSERT_TRUE(results.bursts[i]) << i;
            EXPECT_EQ(to_bytes(Response(results.bursts[i]->result)),
                      to_bytes(Response(run_whole(bursts[i].plan))))
                << i;
            EXPECT_EQ(results.bursts[i]->so_far.ticks, bursts[i].before_frame);
        }
        ASSERT_EQ(results.lead.has_value(), lead_counts);
        if (lead_counts) {
            EXPECT_EQ(to_bytes(Response(*results.lead)),
                      to_bytes(Response(run_whole(plan("nominal")))));
        }
    }

    VerifyReport verify(std::size_t jobs = 2, bool bursts = true,
                        std::optional<std::chrono::milliseconds> budget = std::nullopt) {
        VerifyOptions options;
        options.trials = 40;
        options.environment = environment_;
        options.budget = budget;
        if (bursts) {
            options.bursts = bursts_in_worker_processes(simulation_, burst_options(jobs));
        }
        const auto report =
            harness::verify(path(), options, in_worker_processes(simulation_, burst_options(jobs)));
        EXPECT_TRUE(report) << describe(report.error());
        return report.value_or(VerifyReport());
    }

    void set(const char* key, const char* value) {
        EXPECT_TRUE(environment_.set(key, value));
    }

    [[nodiscard]] std::string path() const {
        return folder_.file("s.isotick");
    }

    tests::ScratchFolder folder_;
    SimulationName simulation_ = SimulationName::chosen("");
    core::Settings environment_;
};

TEST_F(Bursting, AreWhatTheyWouldBeFromTheirBeginning) {
    record("skirmish", 2);
    const std::vector<Burst> bursts{burst(1, "mix(seed=1)", 64), burst(1, "mix(seed=2)", 1),
                                    burst(3000, "jitter(60hz, 9ms, seed=5)", 300),
                                    burst(7900, "bimodal(4ms, 90ms, 20%, seed=3)", 500)};
    expect_as_from_the_beginning(bursts, true);
    expect_as_from_the_beginning(bursts, false);
}

TEST_F(Bursting, HaveAxesFromTheirBeginningOn) {
    const auto varied = [this](Burst burst, const char* axis, const std::string& value) {
        burst.plan.drive.axes = {
            {axis, value + " from frame " + std::to_string(burst.before_frame)}};
        return burst;
    };
    struct Planted {
        const char* fault;
        const char* axis;
        const char* value;
    };
    for (const Planted& planted :
         {Planted{"local", "stack", "7"}, Planted{"heap", "heap", "fill 7"},
          Planted{"rounding", "fpenv", "upward"}, Planted{"machine", "host-name", "7"},
          Planted{"lustrum", "clock", "2031-05-07T11:22:33"}}) {
        SCOPED_TRACE(planted.fault);
        environment_ = {};
        set("at", "3000");
        set("fault", planted.fault);
        record(ISOTICK_FAULTY);
        const std::vector<Burst> bursts{
            varied(burst(1500, "100xnominal", 100), planted.axis, planted.value),
            burst(2990, "100xnominal", 100),
            varied(burst(2991, "100xnominal", 100), planted.axis, planted.value)};
        for (const bool lead_counts : {true, false}) {
            const LedResults results = run(bursts, lead_counts);
            EXPECT_EQ(results.bursts[0]->result.verdict, Verdict::identical);
            EXPECT_EQ(results.bursts[1]->result.verdict, Verdict::identical);
            ASSERT_TRUE(results.bursts[2]->result.divergence);
            EXPECT_EQ(results.bursts[2]->result.divergence->computed.ticks_done, 3001);
            EXPECT_TRUE(!lead_counts || results.lead->verdict == Verdict::identical);
        }
        EXPECT_EQ(run_whole(bursts[2].plan).divergence->computed.ticks_done, 3001);
        EXPECT_EQ(
            run_whole(varied(burst(3001, "100xnominal", 100), planted.axis, planted.value).plan)
                .verdict,
            Verdict::identical);
    }
}

// Packed, but for where in isotick itself the calls came through: a burst has other callers.
std::string without_own_sites(TrialResult result) {
    for (SystemReads& reads : result.reads) {
        for (SystemCall& call : reads.first) {
            std::erase_if(call.sites,
                          [](const CallSite& site) { return site.file.ends_with("/isotick"); });
        }
    }
    return to_bytes(Response(result));
}

// An axis that the user lets begin early applies to whatever bursts go on from, too.
TEST_F(Bursting, HaveWhatBeganBeforeThem) {
    set("fault", "local");
    set("at", "2000");
    set("onwards", "1");
    record(ISOTICK_FAULTY);
    VerifyOptions options;
    options.trials = 200;
    options.environment = environment_;
    options.vary = {{"stack", "7 from frame 5"}};
    options.bursts = bursts_in_worker_processes(simulation_, burst_options());
    const auto report =
        harness::verify(path(), options, in_worker_processes(simulation_, burst_options()));
    ASSERT_TRUE(report) << describe(report.error());
    std::size_t failed_bursts = 0;
    for (const FailedTrial& failure : report->failures) {
        EXPECT_TRUE(failure.plan.drive.varies("stack"));
        ASSERT_TRUE(failure.result.divergence);
        EXPECT_EQ(failure.result.divergence->computed.ticks_done, 2001);
        if (failure.plan.most_steps != 0) {
            ++failed_bursts;
            EXPECT_EQ(without_own_sites(run_whole(failure.plan)),
                      without_own_sites(failure.result));
        }
    }
    EXPECT_GT(failed_bursts, 0);
}

TEST_F(Bursting, StopAtTheFirstThatFails) {
    record(ISOTICK_PROVOKED);
    const std::vector<Burst> bursts{burst(1000, "90ms, 100xnominal", 50),
                                    burst(2500, "90ms, 100xnominal", 50),
                                    burst(2600, "100xnominal", 50)};
    for (const bool lead_counts : {true, false}) {
        const LedResults results = run(bursts, lead_counts);
        EXPECT_EQ(results.bursts[0]->result.verdict, Verdict::identical);
        EXPECT_EQ(to_bytes(Response(results.bursts[1]->result)),
                  to_bytes(Response(run_whole(bursts[1].plan))));
        EXPECT_EQ(results.bursts[1]->result.divergence->computed.ticks_done, 2504);
        EXPECT_FALSE(results.bursts[2]);
    }
}

TEST_F(Bursting, LeaveTheLeadAloneWhereTheyCrashOrHang) {
    record(ISOTICK_PROVOKED);
    set("crash", "1");
    LedResults results = run({burst(2500, "90ms, 100xnominal", 50)});
    EXPECT_EQ(results.bursts[0]->result.verdict, Verdict::crashed);
    EXPECT_THAT(results.bursts[0]->result.reason, HasSubstr("in step of tick 2503"));
    EXPECT_EQ(results.lead->verdict, Verdict::identical);
    EXPECT_EQ(results.lead->statistics.ticks, kBurstTicks);
}

TEST_F(Bursting, AreNotThereWhereProcessesCannotBeCopied) {
    record("exec:" ISOTICK_PROGRAM " serve --sim " ISOTICK_PROVOKED);
    const LedResults results = run({burst(1000, "90ms, 100xnominal", 50)});
    EXPECT_THAT(results.why_none, HasSubstr("process of its own"));
    EXPECT_FALSE(results.bursts[0]);
    EXPECT_EQ(results.lead->verdict, Verdict::identical);
    const VerifyReport report = verify();
    EXPECT_EQ(report.bursts->trials, 0);
    EXPECT_EQ(report.bursts->why_none, results.why_none);
    EXPECT_EQ(report.trials, 40);
}

TEST_F(Bursting, FindWhatOnlyComesLateAtItsTick) {
    record(ISOTICK_PROVOKED);
    set("after", "3000");
    const VerifyReport report = verify();
    EXPECT_EQ(report.verdict, Verdict::diverged);
    bool burst_failed = false;
    for (const FailedTrial& failure : report.failures) {
        const TrialResult whole = run_whole(failure.plan);
        EXPECT_EQ(failure.result.divergence->computed.ticks_done,
                  whole.divergence->computed.ticks_done);
        EXPECT_GT(failure.result.divergence->computed.ticks_done, 3000);
        EXPECT_EQ(failure.result.statistics.ticks, whole.statistics.ticks);
        burst_failed = burst_failed || failure.plan.most_steps != 0;
    }
    EXPECT_TRUE(burst_failed);
    EXPECT_GT(report.bursts->skipped, 0);
}

TEST_F(Bursting, AreSilentWhereNothingLeaks) {
    record(ISOTICK_PROVOKED);
    set("ticks", "1000");  // in a frame: there are no such frames
    const VerifyReport report = verify();
    EXPECT_EQ(report.verdict, Verdict::identical);
    EXPECT_EQ(report.trials, 40);
    EXPECT_EQ(report.bursts->trials, 40 - 1 - kFreshTrials - 1);
    EXPECT_LT(report.bursts->ticks, report.bursts->trials * 1024);
    EXPECT_LE(report.bursts->covered, report.bursts->ticks);
    EXPECT_EQ(report.total.ticks,
              (40 - report.bursts->trials) * kBurstTicks + report.bursts->ticks);
}

TEST_F(Bursting, AreTheSameHoweverManyRunAtATime) {
    record(ISOTICK_PROVOKED);
    set("after", "5000");
    const VerifyReport one = verify(1);
    const VerifyReport three = verify(3);
    EXPECT_EQ(one.trials, three.trials);
    EXPECT_EQ(one.bursts->ticks, three.bursts->ticks);
    ASSERT_EQ(one.failures.size(), three.failures.size());
    for (std::size_t i = 0; i < one.failures.size(); ++i) {
        EXPECT_EQ(one.failures[i].number, three.failures[i].number);
        EXPECT_EQ(to_bytes(one.failures[i].plan), to_bytes(three.failures[i].plan));
    }
}

TEST_F(Bursting, CrashesAreThoseOfTrialsFromTheirBeginning) {
    record(ISOTICK_PROVOKED);
    set("after", "7000");
    set("crash", "1");
    const VerifyReport report = verify();
    EXPECT_EQ(report.verdict, Verdict::crashed);
    for (const FailedTrial& failure : report.failures) {
        EXPECT_EQ(failure.result.verdict, Verdict::crashed);
        EXPECT_GE(failure.result.failed_in->tick.value, 7000);
    }
}

TEST_F(Bursting, ABudgetEndsWithTheFirstThatFails) {
    record(ISOTICK_PROVOKED);
    set("after", "7000");
    const VerifyReport report = verify(2, true, std::chrono::minutes(10));
    EXPECT_EQ(report.verdict, Verdict::diverged);
    ASSERT_FALSE(report.failures.empty());
    EXPECT_GT(report.failures.front().result.divergence->computed.ticks_done, 7000);
    EXPECT_LT(report.budget->spent, std::chrono::minutes(10));
}

TEST_F(Bursting, ABudgetIsSpentWhereNothingFails) {
    record(ISOTICK_PROVOKED);
    set("ticks", "1000");
    constexpr std::chrono::milliseconds kBudget(700);
    for (const bool bursts : {true, false}) {
        const VerifyReport report = verify(2, bursts, kBudget);
        EXPECT_EQ(report.verdict, Verdict::identical);
        EXPECT_GE(report.budget->spent, kBudget);
        EXPECT_EQ(report.bursts.has_value(), bursts);
        EXPECT_GT(report.trials, bursts ? report.bursts->trials : 1);
    }
}

TEST(BeginInTheMiddle, StaysInsideTheSessionAndEndsAtAStoredHash) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        TrialPlan plan;
        plan.drive.schedule = core::Schedule::parse("17ms, -40ms").value();
        begin_in_the_middle(plan, seed, kLongSession, 10);
        const auto items = plan.drive.schedule.items();
        EXPECT_GE(items.front().count, 1U);
        EXPECT_LE(items.front().count, kLongSession - 64);
        EXPECT_GE(plan.most_steps, items.front().count + 64);
        EXPECT_LT(plan.most_steps, items.front().count + 1024 + 10);
        EXPECT_EQ(plan.most_steps % 10, 0U);
        EXPECT_GE(items.size(), 64U);  // the schedule that ends again and again
    }
}

}  // namespace
}  // namespace isotick::harness
