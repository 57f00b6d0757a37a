// Sessions recorded with random inputs, of simulations that refuse what makes no sense.

#include "described_sims.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

class RecordedRandom : public ::testing::Test {
  protected:
    [[nodiscard]] RecordResult record(const isotick_simulation_table& table,
                                      const std::string& path, std::uint64_t seed = 5) const {
        RecordPlan plan;
        plan.path = path;
        plan.setup.players = 2;
        plan.setup.seed = seed;
        plan.ticks = 120;
        plan.inputs = InputSource::random;
        Progress progress;
        return run_record(plan, table, progress);
    }

    tests::ScratchFolder folder_;
    std::string path_ = folder_.file("s.isotick");
};

TEST_F(RecordedRandom, HasOnlyInputsThatTheSimulationTakes) {
    const auto& table = core::simulation_table<Strict>();
    const RecordResult result = record(table, path_);
    ASSERT_FALSE(result.error) << describe(*result.error);
    EXPECT_EQ(result.ticks, 120U);
    auto reader = replay::Reader::open(path_).value();
    replay::RecordedTicks ticks(reader);
    std::uint64_t present = 0;
    while (ticks.advance().value()) {
        for (const isotick_input& input : ticks.inputs()) {
            if (input.present != 0) {
                ++present;
                ASSERT_NE(input.player, ISOTICK_WORLD);
                EXPECT_TRUE(
                    core::faithful_description(table, input.player, {input.data, input.size}));
            }
        }
    }
    EXPECT_EQ(present, result.inputs_present);
    EXPECT_GT(present, 120U);
}

TEST_F(RecordedRandom, FollowsFromTheSeed) {
    const auto& table = core::simulation_table<Strict>();
    const RecordResult one = record(table, path_);
    EXPECT_EQ(record(table, folder_.file("t.isotick")).session_digest, one.session_digest);
    EXPECT_NE(record(table, folder_.file("u.isotick"), 6).session_digest, one.session_digest);
}

TEST_F(RecordedRandom, AdvisesWhereAStepRefusesBytesThatNobodyDescribed) {
    const RecordResult result = record(core::simulation_table<Silent>(), path_);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->code, core::ErrorCode::simulation);
    EXPECT_THAT(result.error->message, HasSubstr("it does not describe its inputs"));
    EXPECT_THAT(result.error->message, HasSubstr("--inputs bot or none"));
}

TEST_F(RecordedRandom, RefusesToDrawWhereNoDescribedInputIsFound) {
    isotick_simulation_table table = core::simulation_table<Strict>();
    table.describe_input = [](const isotick_simulation_table*, std::uint32_t, const std::uint8_t*,
                              std::uint64_t, const isotick_sink*,
                              isotick_message*) -> std::int32_t { return ISOTICK_FAILED; };
    const RecordResult result = record(table, path_);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->code, core::ErrorCode::usage);
    EXPECT_THAT(result.error->message, HasSubstr("no description works for player 0"));
    EXPECT_FALSE(result.kept);
}

}  // namespace
}  // namespace isotick::harness
