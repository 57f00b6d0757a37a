// Between which of its checkpoints a tick first differs, as its explanation says.

#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/record.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kAt = 20;

/// Goes wrong at one tick, between the checkpoints that `fault` names, or in how it has them.
class Phased {
  public:
    static constexpr core::SimulationInfo kInfo{.name = "phased", .most_players = 1};
    explicit Phased(const core::SimulationSetup& setup)
        : fault_(setup.environment.find("fault").value_or("")), number_(++created) {}

    void step(const core::Step& step) {
        now_ = step.tick.value == kAt;
        in_step_ = true;
        mind += 3 + wrong("start");
        step.checkpoint("ai");
        world += mind + wrong("physics") + wrong("chance") * number_;
        if (wrong("skips") == 0) {
            step.checkpoint("physics");
        }
        for (std::uint64_t unit = 0; unit < (wrong("many") == 0 ? 3 : 2 * kMostCheckpoints);
             ++unit) {
            world += unit == 1 ? wrong("unit") : 0;
            step.checkpoint("unit");
        }
        mind += wrong("end") + wrong("many") + wrong("skips");
        world += wrong("shy") + wrong("throws");
        in_step_ = false;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        if (in_step_ && wrong("throws") != 0) {
            throw std::runtime_error("not now");
        }
        mind += in_step_ ? wrong("shy") : 0;
        archive(CEREAL_NVP(mind), CEREAL_NVP(world));
    }

    std::uint64_t mind = 0;
    std::uint64_t world = 0;
    inline static std::uint64_t created = 0;

  private:
    [[nodiscard]] std::uint64_t wrong(std::string_view fault) const {
        return now_ && fault_ == fault ? 1 : 0;
    }

    std::string fault_;
    std::uint64_t number_;
    bool now_ = false;
    bool in_step_ = false;
};

class PhasesOfATick : public ::testing::Test {
  protected:
    TrialPlan plan_of(const isotick_simulation_table& table, const char* fault) {
        RecordPlan recording;
        recording.path = folder_.file("s" + std::to_string(recorded_++) + ".isotick");
        recording.setup.players = 1;
        recording.inputs = InputSource::none;
        recording.ticks = 50;
        const auto recorded = run_record(recording, table, progress_);
        EXPECT_FALSE(recorded.error) << describe(*recorded.error);
        TrialPlan plan;
        plan.recording = recording.path;
        EXPECT_TRUE(plan.environment.set("fault", fault));
        return plan;
    }

    // The same table without the fault stands for the build that recorded.
    Explanation explained(const TrialPlan& plan, const isotick_simulation_table& table) {
        const TrialRunner clean = [&](std::span<const TrialPlan> plans, Isolation) {
            std::vector<TrialResult> results;
            for (TrialPlan one : plans) {
                one.environment = {};
                results.push_back(run_trial(one, table, progress_));
            }
            return core::Result<std::vector<TrialResult>>(std::move(results));
        };
        const TrialResult result = run_trial(plan, table, progress_);
        EXPECT_EQ(result.verdict, Verdict::diverged) << result.reason;
        return explain(plan, result, in_this_process(table), {3, &clean, {}}).value();
    }

    Explanation explained(const char* fault) {
        Explanation found = explained(plan_of(phased_, fault), phased_);
        EXPECT_EQ(found.ticks_done, kAt + 1);
        EXPECT_TRUE(found.phases);
        EXPECT_TRUE(found.fields.known) << found.fields.unknown;
        return found;
    }

    std::string said(const char* fault) {
        return to_string(explained(fault).phases.value_or(Phases()));
    }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& phased_ = core::simulation_table<Phased>();
    Progress progress_;
    int recorded_ = 0;
};

TEST_F(PhasesOfATick, AreThoseThatTheFaultLiesBetween) {
    EXPECT_EQ(said("start"), "first differs before the first checkpoint, \"ai\"");
    EXPECT_EQ(said("physics"), "first differs after \"ai\", before \"physics\"");
    EXPECT_EQ(said("unit"), "first differs after \"unit\" #1, before \"unit\" #2");
    EXPECT_EQ(said("end"), "first differs after the last checkpoint, \"unit\" #3");
}

TEST_F(PhasesOfATick, NameThePartsThatDifferThere) {
    const Explanation found = explained("start");
    EXPECT_THAT(found.parts, ElementsAre("mind", "world"));
    EXPECT_THAT(found.phases->parts, ElementsAre("mind"));
}

TEST_F(PhasesOfATick, AreWhereTheSidesComeToOtherCheckpoints) {
    EXPECT_EQ(said("skips"), "after \"ai\", other checkpoints follow: \"physics\" → \"unit\" #1");
    EXPECT_EQ(said("many"), "after \"unit\" #3, other checkpoints follow: none → \"unit\" #4");
}

TEST_F(PhasesOfATick, AreUnknownWhereHashingThereDisturbsTheTick) {
    const std::string unknown = "unknown: with its state hashed at checkpoints, it went wrong";
    EXPECT_EQ(said("throws"), unknown);
    EXPECT_EQ(said("shy"), unknown);
}

TEST_F(PhasesOfATick, AreNoneWhereASimulationHasNoCheckpoints) {
    const auto& faulty = core::simulation_table<tests::Faulty>();
    const Explanation found = explained(plan_of(faulty, "build"), faulty);
    EXPECT_TRUE(found.fields.known) << found.fields.unknown;
    EXPECT_FALSE(found.phases);
}

TEST_F(PhasesOfATick, AreThoseThatTwoRunsOfOneTrialPartBetween) {
    const TrialPlan plan = plan_of(phased_, "chance");
    const TrialResult first = run_trial(plan, phased_, progress_);
    const TrialResult again = run_trial(plan, phased_, progress_);
    ASSERT_NE(first.divergence->computed.hash, again.divergence->computed.hash);
    const Explanation found =
        explain_disagreement(plan, first, again, in_this_process(phased_), {}).value();
    ASSERT_TRUE(found.disagreement);
    ASSERT_TRUE(found.disagreement->phases);
    EXPECT_EQ(to_string(*found.disagreement->phases),
              "first differs after \"ai\", before \"physics\"");
    EXPECT_THAT(found.disagreement->phases->parts, ElementsAre("world"));
}

TEST_F(PhasesOfATick, AreTheSameWhereItsCallsAreMadeInAnUnusualWay) {
    TrialPlan plan = plan_of(phased_, "physics");
    plan.drive.axes = {{"inputs", "7"}};
    EXPECT_EQ(to_string(explained(plan, phased_).phases.value_or(Phases())),
              "first differs after \"ai\", before \"physics\"");
}

TEST(Checkpoints, BeyondTheMostThatAreLookedAtSayHowFarTheSidesAgree) {
    TrialResult result;
    result.checkpoints.resize(kMostCheckpoints);
    EXPECT_EQ(to_string(compare_checkpoints(result, result).value()),
              "unknown: its first 4096 checkpoints are the same");
}

}  // namespace
}  // namespace isotick::harness
