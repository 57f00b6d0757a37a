// The trials of a recording in shares: together they are the whole run's.

#include "study/trial_shares.hpp"

#include "support/scratch_folder.hpp"

#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<TrialShare> all_shares(std::uint32_t count) {
    std::vector<TrialShare> shares;
    for (std::uint32_t number = 1; number <= count; ++number) {
        shares.push_back({number, count});
    }
    return shares;
}

TEST(TrialShare, EachTrialIsInOneAndTheNominalOneInAll) {
    for (std::uint32_t count = 1; count <= 17; ++count) {
        const std::vector<TrialShare> shares = all_shares(count);
        for (const TrialShare& share : shares) {
            EXPECT_TRUE(share.has(0));
        }
        for (std::uint64_t trial = 1; trial < 200; ++trial) {
            EXPECT_EQ(std::ranges::count_if(
                          shares, [trial](const TrialShare& share) { return share.has(trial); }),
                      1)
                << trial << " of " << count;
        }
    }
}

TEST(TrialShare, NoneHasAllTheTrialsOfAKindThatComesAtIntervals) {
    for (const std::uint32_t count : {2U, 4U, 8U, 16U, 17U}) {
        for (const TrialShare& share : all_shares(count)) {
            std::uint64_t in_full = 0;
            for (std::uint64_t trial = 30; trial < 16'000; trial += kOneInFull) {
                in_full += share.has(trial) ? 1U : 0U;
            }
            EXPECT_GT(in_full, 500 / count) << share.number << " of " << count;
            EXPECT_LT(in_full, 2'000 / count) << share.number << " of " << count;
        }
    }
}

WorkerOptions share_workers() {
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    options.timeout_ms = 2000;
    options.jobs = 2;
    return options;
}

class TrialShares : public ::testing::Test {
  protected:
#if defined(__SANITIZE_THREAD__)
    void SetUp() override {
        GTEST_SKIP() << "ThreadSanitizer has a thread, and processes with threads are not forked";
    }
#endif

    void record(const char* simulation, std::uint64_t ticks, std::uint32_t players = 1) {
        simulation_ = SimulationName::chosen(simulation);
        RecordPlan plan;
        plan.path = path();
        plan.overwrite = true;
        plan.setup.players = players;
        plan.ticks = ticks;
        const auto recorded = record_in_worker(simulation_, plan, share_workers());
        ASSERT_TRUE(recorded) << describe(recorded.error());
        ASSERT_FALSE(recorded->error) << describe(*recorded->error);
    }

    [[nodiscard]] VerifyReport verify(std::uint64_t trials,
                                      std::optional<TrialShare> share = std::nullopt) const {
        VerifyOptions options;
        options.trials = trials;
        options.share = share;
        options.study = false;
        options.perturb = perturb_;
        options.bursts = bursts_in_worker_processes(simulation_, share_workers());
        const auto report =
            harness::verify(path(), options, in_worker_processes(simulation_, share_workers()));
        EXPECT_TRUE(report) << describe(report.error());
        return report.value_or(VerifyReport());
    }

    [[nodiscard]] std::vector<VerifyReport> verify_shares(std::uint64_t trials,
                                                          std::uint32_t count) const {
        std::vector<VerifyReport> reports;
        for (const TrialShare& share : all_shares(count)) {
            reports.push_back(verify(trials, share));
        }
        return reports;
    }

    [[nodiscard]] std::string path() const {
        return folder_.file("s.isotick");
    }

    tests::ScratchFolder folder_;
    std::vector<std::string> perturb_{"reload", "heap", "stack"};
    SimulationName simulation_ = SimulationName::chosen("spring");
};

std::vector<std::uint64_t> failed_trials(const VerifyReport& report) {
    std::vector<std::uint64_t> numbers;
    for (const FailedTrial& failure : report.failures) {
        numbers.push_back(failure.number);
    }
    return numbers;
}

// In all that a report has besides the failures' details.
bool are_alike(const VerifyReport& a, const VerifyReport& b) {
    return report_to_bytes(a) == report_to_bytes(b);
}

TEST_F(TrialShares, OfAShortSessionAddUpToTheWholeRun) {
    record("spring", 200);
    EXPECT_TRUE(are_alike(whole_of(verify_shares(30, 3)), verify(30)));
}

TEST_F(TrialShares, OfALongSessionAddUpToTheWholeRunWithItsBursts) {
    record("spring", 8000);
    const VerifyReport plain = verify(60);
    const VerifyReport whole = whole_of(verify_shares(60, 4));
    ASSERT_TRUE(whole.bursts);
    EXPECT_GT(whole.bursts->trials, 30U);
    EXPECT_EQ(whole.bursts->covered, plain.bursts->covered);
    EXPECT_TRUE(are_alike(whole, plain));
}

TEST_F(TrialShares, OfAVeryLongSessionHaveTheirBeginningsToo) {
    record("spring", 40'000);
    EXPECT_TRUE(are_alike(whole_of(verify_shares(30, 2)), verify(30)));
}

TEST_F(TrialShares, FailInTheTrialsInWhichTheWholeRunFails) {
    record("control:long-frame", 100, 2);
    const VerifyReport plain = verify(20);
    const VerifyReport whole = whole_of(verify_shares(20, 3));
    EXPECT_EQ(whole.verdict, Verdict::diverged);
    EXPECT_GT(whole.trials_identical, 1U);
    EXPECT_FALSE(whole.failures.empty());
    EXPECT_EQ(failed_trials(whole), failed_trials(plain));
    EXPECT_TRUE(are_alike(whole, plain));
}

TEST_F(TrialShares, LeaveItToTheWholeWhetherTrialsCouldHaveDiffered) {
    record("spring", 100);
    perturb_.clear();
    const std::vector<VerifyReport> alone = verify_shares(1, 2);
    EXPECT_EQ(alone.front().verdict, Verdict::identical);
    const VerifyReport whole = whole_of(alone);
    EXPECT_EQ(whole.verdict, Verdict::inconclusive);
    EXPECT_THAT(whole.reasons, ElementsAre(HasSubstr("every frame ran exactly 1 tick")));
    EXPECT_EQ(whole.trials, 1U);
}

TEST_F(TrialShares, CannotBeTakenUnderABudget) {
    VerifyOptions options;
    options.budget = std::chrono::milliseconds(10);
    options.share = TrialShare{1, 2};
    const auto report =
        harness::verify(path(), options, in_worker_processes(simulation_, share_workers()));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, core::ErrorCode::usage);
}

VerifyReport made_up(std::uint32_t number, std::uint64_t trials) {
    VerifyReport report;
    report.grounds.share = TrialShare{number, 2};
    report.grounds.nominal = {.ticks = 10, .frames = 10, .hashes_compared = 10};
    report.grounds.has_one_schedule = true;
    report.trials = trials;
    report.trials_identical = trials;
    report.total = {.ticks = 10 * trials, .frames = 10 * trials, .hashes_compared = 10 * trials};
    return report;
}

VerifyReport failing_at_once(std::uint32_t number) {
    VerifyReport report = made_up(number, 1);
    report.trials_identical = 0;
    report.failures.emplace_back().result.verdict = Verdict::diverged;
    return report;
}

TEST(WholeOfShares, CountsTrial0Once) {
    const VerifyReport whole = whole_of({made_up(1, 5), made_up(2, 4)});
    EXPECT_EQ(whole.trials, 8U);
    EXPECT_EQ(whole.trials_identical, 8U);
    EXPECT_EQ(whole.total.hashes_compared, 80U);
    EXPECT_EQ(whole.verdict, Verdict::identical);
}

TEST(WholeOfShares, OfWhichTrial0FailsInAllFailsOnce) {
    const VerifyReport whole = whole_of({failing_at_once(1), failing_at_once(2)});
    EXPECT_EQ(whole.trials, 1U);
    EXPECT_EQ(whole.trials_identical, 0U);
    EXPECT_THAT(failed_trials(whole), ElementsAre(0));
    EXPECT_EQ(whole.verdict, Verdict::diverged);
    EXPECT_TRUE(whole.reasons.empty());
}

TEST(WholeOfShares, OfWhichTrial0FailsInOneSaysSo) {
    for (const bool first : {true, false}) {
        const VerifyReport whole = first ? whole_of({failing_at_once(1), made_up(2, 4)})
                                         : whole_of({made_up(1, 4), failing_at_once(2)});
        EXPECT_EQ(whole.trials, 4U);
        EXPECT_EQ(whole.trials_identical, 3U);
        EXPECT_THAT(failed_trials(whole), ElementsAre(0));
        EXPECT_EQ(whole.verdict, Verdict::diverged);
        EXPECT_THAT(whole.reasons, ElementsAre(HasSubstr("trial 0 failed in 1 of 2 parts")));
    }
}

TEST(WholeOfShares, SaysThatASettingWasNeverReadOnlyIfNoneReadIt) {
    const auto shares = [](std::vector<std::string> read) {
        std::vector<VerifyReport> both{made_up(1, 4), made_up(2, 4)};
        both.front().grounds.unread = {"workers"};
        both.back().grounds.read = std::move(read);
        return both;
    };
    EXPECT_EQ(whole_of(shares({"workers"})).verdict, Verdict::identical);
    EXPECT_THAT(whole_of(shares({})).reasons,
                ElementsAre(HasSubstr("the simulation never read workers")));
}

TEST(WholeOfShares, VariesAnAxisThatOneMachineCouldVary) {
    VerifyReport first = made_up(1, 4);
    VerifyReport second = made_up(2, 4);
    first.unvaried = {{"cpu", "there is one processor"}, {"clock", "it is never read"}};
    second.perturbed = {{"heap", 2}, {"cpu", 3}};
    second.unvaried = {{"clock", "it is never read"}};
    const VerifyReport whole = whole_of({first, second});
    ASSERT_EQ(whole.perturbed.size(), 2U);
    EXPECT_EQ(whole.perturbed.back().axis, "cpu");
    EXPECT_EQ(whole.perturbed.back().trials, 3U);
    ASSERT_EQ(whole.unvaried.size(), 1U);
    EXPECT_EQ(whole.unvaried.front().axis, "clock");
}

TEST(ReportBytes, AreRefusedWhereverTheyEnd) {
    VerifyReport report = failing_at_once(2);
    report.bursts.emplace().ticks = 7;
    const std::string bytes = report_to_bytes(report);
    const auto read = report_from_bytes(bytes);
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(report_to_bytes(*read), bytes);
    EXPECT_EQ(read->failures.front().result.verdict, Verdict::diverged);
    for (std::size_t end = 0; end < bytes.size(); ++end) {
        EXPECT_FALSE(report_from_bytes(bytes.substr(0, end))) << end;
    }
    EXPECT_FALSE(report_from_bytes(bytes + '\0'));
}

}  // namespace
}  // namespace isotick::harness
