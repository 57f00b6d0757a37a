// What an experiment takes for shown, how often it runs, and the least cause that it finds.

#include "study/experiment.hpp"

#include "study/cause.hpp"

#include <isotick/harness/detail/drive.hpp>

#include <functional>
#include <map>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

TEST(IsShown, TakesWhatChanceGivesLessThanOnceInTenThousand) {
    EXPECT_TRUE(is_shown({{8, 8}, {0, 8}}));
    EXPECT_FALSE(is_shown({{7, 8}, {0, 8}}));
    EXPECT_FALSE(is_shown({{7, 7}, {0, 8}}));
    EXPECT_FALSE(is_shown({{8, 8}, {1, 8}}));
    EXPECT_TRUE(is_shown({{12, 16}, {0, 16}}));
    EXPECT_FALSE(is_shown({{8, 16}, {0, 16}}));
    EXPECT_TRUE(is_shown({{32, 32}, {8, 32}}));
    EXPECT_FALSE(is_shown({{0, 8}, {0, 8}}));
    EXPECT_FALSE(is_shown({{0, 8}, {8, 8}}));
    EXPECT_FALSE(is_shown({}));
}

TEST(IsShown, HoldsRunsAgainstThePlaceboToo) {
    EXPECT_TRUE(is_shown({{8, 8}, {0, 8}, FailedRuns{0, 8}}));
    EXPECT_FALSE(is_shown({{8, 8}, {0, 8}, FailedRuns{8, 8}}));
    EXPECT_FALSE(is_shown({{8, 8}, {0, 8}, FailedRuns{0, 0}}));
}

/// Fails as `fails` says of a drive and how often it ran before; counts the runs.
class FakeRuns {
  public:
    using Fails = std::function<bool(const Drive& drive, std::uint64_t before)>;

    explicit FakeRuns(Fails fails) : fails_(std::move(fails)) {}

    TrialRunner runner() {
        return [this](std::span<const TrialPlan> plans,
                      Isolation isolation) -> core::Result<std::vector<TrialResult>> {
            EXPECT_EQ(isolation, Isolation::fresh);
            std::vector<TrialResult> results;
            for (const TrialPlan& plan : plans) {
                std::uint64_t& runs = runs_[to_string(plan.drive)];
                TrialResult& result = results.emplace_back();
                if (fails_(plan.drive, runs++)) {
                    result.verdict = Verdict::diverged;
                    result.divergence.emplace().computed.steps = 9;
                    result.divergence->computed.hash.value = ++outcomes_;
                }
            }
            return results;
        };
    }

    std::uint64_t runs_of(const Drive& drive) { return runs_[to_string(drive)]; }

  private:
    Fails fails_;
    std::map<std::string, std::uint64_t> runs_;
    std::uint64_t outcomes_ = 0;
};

Drive varying(std::vector<AxisValue> axes) {
    Drive drive;
    drive.axes = std::move(axes);
    return drive;
}

const Drive kHeap = varying({{"heap", "fill 85"}});

TEST(Lab, MakesNoRunTwice) {
    FakeRuns runs([](const Drive& drive, std::uint64_t) { return drive == kHeap; });
    const TrialRunner run = runs.runner();
    const TrialPlan plan;
    Lab lab(plan, run);
    EXPECT_EQ(lab.compare(kHeap, Drive()).value(), (Evidence{{8, 8}, {0, 8}}));
    EXPECT_EQ(lab.count({kHeap}, 5).value().front(), (FailedRuns{8, 8}));
    EXPECT_EQ(lab.compare(kHeap, Drive()).value(), (Evidence{{8, 8}, {0, 8}}));
    EXPECT_EQ(runs.runs_of(kHeap), 8U);
    EXPECT_EQ(runs.runs_of(Drive()), 8U);
}

TEST(Lab, RunsMoreOftenWhereSomeRunsFail) {
    FakeRuns runs(
        [](const Drive& drive, std::uint64_t before) { return drive == kHeap && before % 2 == 0; });
    const TrialRunner run = runs.runner();
    const TrialPlan plan;
    Lab lab(plan, run);
    EXPECT_EQ(lab.compare(kHeap, Drive()).value(), (Evidence{{16, 32}, {0, 32}}));
}

TEST(Lab, ShowsNothingByWhenItRan) {
    std::uint64_t runs_so_far = 0;
    FakeRuns runs([&](const Drive&, std::uint64_t) { return (runs_so_far++ / 8) % 2 == 0; });
    const TrialRunner run = runs.runner();
    const TrialPlan plan;
    Lab lab(plan, run);
    EXPECT_FALSE(lab.compare(kHeap, Drive()).value());
}

TEST(Lab, GivesUpWhereItCannotTell) {
    FakeRuns runs(
        [](const Drive& drive, std::uint64_t before) { return drive == kHeap || before == 3; });
    const TrialRunner run = runs.runner();
    const TrialPlan plan;
    Lab lab(plan, run);
    EXPECT_FALSE(lab.compare(kHeap, Drive()).value());
    EXPECT_EQ(runs.runs_of(kHeap), 8U);
    const Drive never = varying({{"stack", "1"}});
    FakeRuns none([](const Drive&, std::uint64_t) { return false; });
    const TrialRunner run_none = none.runner();
    EXPECT_FALSE(Lab(plan, run_none).compare(never, Drive()).value());
    EXPECT_EQ(none.runs_of(never), 1U);
    EXPECT_EQ(none.runs_of(Drive()), 0U);
}

FoundCause found(const TrialPlan& plan, const FakeRuns::Fails& fails) {
    FakeRuns runs(fails);
    const TrialRunner run = runs.runner();
    TrialResult result;
    result.verdict = Verdict::diverged;
    result.divergence.emplace().computed.steps = 9;
    return find_cause(plan, result, run).value();
}

TrialPlan mixture() {
    TrialPlan plan;
    plan.drive = varying({{"clock", "2031-05-07T11:22:33 at 0%"}, {"host-name", "7"}});
    plan.drive.schedule = core::Schedule::parse("21ms").value();
    return plan;
}

TEST(FindCause, TakesFramesAloneBeforeWhatIsVariedBesides) {
    const FoundCause cause = found(mixture(), [](const Drive& drive, std::uint64_t before) {
        return !drive.has_nominal_frames() && before != 5;
    });
    EXPECT_TRUE(cause.axes.empty());
    EXPECT_EQ(cause.evidence, (Evidence{{15, 16}, {0, 16}}));
}

TEST(FindCause, TakesMemoryBeforeWhatFailsByItToo) {
    const FoundCause cause = found(mixture(), [](const Drive& drive, std::uint64_t before) {
        return drive.varies("stack") || (drive.varies("host-name") && before != 2);
    });
    EXPECT_EQ(cause.axes, (std::vector<AxisValue>{{"stack", "165"}}));
    EXPECT_EQ(cause.evidence, (Evidence{{8, 8}, {0, 8}, FailedRuns{0, 8}}));
}

TEST(FindCause, LeavesOutWhatIsNotNeeded) {
    const FoundCause cause = found(mixture(), [](const Drive& drive, std::uint64_t before) {
        return drive.varies("host-name") && !drive.has_nominal_frames() && before != 5;
    });
    EXPECT_EQ(cause.axes, (std::vector<AxisValue>{{"host-name", "7"}}));
    EXPECT_EQ(cause.evidence, (Evidence{{15, 16}, {0, 16}, FailedRuns{0, 16}}))
        << "7 of 8 are too few beside 8 runs of the placebo";
}

TEST(FindCause, FindsNoneWhereNominalRunsFailToo) {
    const FoundCause cause =
        found(mixture(), [](const Drive&, std::uint64_t before) { return before % 3 == 1; });
    EXPECT_TRUE(cause.axes.empty());
    EXPECT_FALSE(cause.evidence);
}

}  // namespace
}  // namespace isotick::harness
