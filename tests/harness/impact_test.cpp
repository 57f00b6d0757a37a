// What becomes of a divergence: whether it spreads, stays or heals, and in how many fields.

#include "study/later_parts.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/record.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <cereal/types/array.hpp>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

/// A drop falls at one tick if several frames are drawn before it, as `fault` names.
class Pond {
  public:
    static constexpr std::uint64_t kAt = 20;
    static constexpr std::uint64_t kSession = 120;
    static constexpr core::SimulationInfo kInfo{.name = "pond", .most_players = 1};
    explicit Pond(const core::SimulationSetup& setup)
        : fault_(setup.environment.find("fault").value_or("")) {}

    void render(double) { ++drawn_; }

    void step(const core::Step& step) {
        if (fault_ == "spreads" && step.tick.value % 10 == 0) {
            for (std::size_t i = water.size() - 1; i > 0; --i) {
                water[i] = water[i] + water[i - 1];
            }
        }
        if (fault_ == "heals" && water[0] > 0) {
            --water[0];
        }
        if (step.tick.value == kAt && drawn_ > 1) {
            water[0] = 7;
        }
        drawn_ = 0;
        ++ticks;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ticks), CEREAL_NVP(water));
    }

    std::uint64_t ticks = 0;
    std::array<std::uint64_t, 6> water{};

  private:
    std::string fault_;
    int drawn_ = 0;
};

class ImpactTest : public ::testing::Test {
  protected:
    std::optional<Impact> impact_of(const char* fault) {
        RecordPlan recording;
        recording.path = folder_.file("s.isotick");
        recording.overwrite = true;
        recording.setup.players = 1;
        recording.inputs = InputSource::none;
        recording.ticks = Pond::kSession;
        EXPECT_TRUE(recording.setup.environment.set("fault", fault));
        const auto recorded = run_record(recording, table_, progress_);
        EXPECT_FALSE(recorded.error) << describe(*recorded.error);
        TrialPlan plan;
        plan.recording = recording.path;
        plan.drive.schedule = core::Schedule::parse("20xnominal, 0ms, 100xnominal").value();
        EXPECT_TRUE(plan.environment.set("fault", fault));
        const TrialResult result = run_trial(plan, table_, progress_);
        EXPECT_TRUE(result.divergence) << result.reason;
        Explanation explanation = explain(plan, result, run_, {}).value();
        EXPECT_TRUE(find_part_history(plan, run_, {}, explanation));
        return explanation.impact;
    }

    const isotick_simulation_table& table_ = core::simulation_table<Pond>();
    TrialRunner run_ = in_this_process(table_);
    Progress progress_;
    tests::ScratchFolder folder_;
};

TEST_F(ImpactTest, SpreadsToMoreFields) {
    const auto impact = impact_of("spreads");
    ASSERT_TRUE(impact);
    // One more in every tenth tick.
    ASSERT_GT(impact->fields.size(), 12U);
    for (const Impact::Fields& one : impact->fields) {
        const std::uint64_t spread = one.ticks_done < 31 ? 0 : (one.ticks_done - 21) / 10;
        EXPECT_EQ(one.differing, std::min<std::uint64_t>(1 + spread, 6)) << one.ticks_done;
    }
    EXPECT_EQ(impact->fields.front().ticks_done, 21U);
    EXPECT_EQ(impact->fields.back().ticks_done, 120U);
    const auto unordered = std::ranges::adjacent_find(impact->fields, std::ranges::greater_equal(),
                                                      &Impact::Fields::ticks_done);
    EXPECT_TRUE(unordered == impact->fields.end());  // and none twice
    EXPECT_FALSE(impact->same_from);
    EXPECT_EQ(impact->last_compared, Pond::kSession);
}

TEST_F(ImpactTest, RemainsWhereItIs) {
    const auto impact = impact_of("stays");
    ASSERT_TRUE(impact);
    EXPECT_TRUE(std::ranges::all_of(impact->fields,
                                    [](const Impact::Fields& one) { return one.differing == 1; }));
    EXPECT_EQ(impact->fields.back().ticks_done, 120U);
    EXPECT_FALSE(impact->same_from);
}

TEST_F(ImpactTest, HealsFromTheFirstStateThatIsTheSameAgain) {
    const auto impact = impact_of("heals");
    ASSERT_TRUE(impact);
    EXPECT_EQ(impact->fields.back(), (Impact::Fields{27, 1}));
    EXPECT_EQ(impact->same_from, 28U);
    EXPECT_EQ(impact->last_compared, Pond::kSession);
}

}  // namespace
}  // namespace isotick::harness
