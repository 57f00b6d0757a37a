#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

SimulationFacts spring_facts() {
    return facts_of(*core::find_reference_simulation("spring"));
}

replay::RecordingHead spring_head() {
    replay::RecordingHead head;
    head.session.simulation = "spring";
    head.session.players = spring_facts().usual_players;
    return head;
}

TEST(Match, ARecordingOfTheSimulationFits) {
    EXPECT_TRUE(check_match(spring_head(), spring_facts()));
}

TEST(Match, AnotherHashAlgorithmIsRefused) {
    auto head = spring_head();
    head.hash_algorithm = "user:crc64";
    EXPECT_THAT(check_match(head, spring_facts()).error().message, HasSubstr("user:crc64"));
}

TEST(Match, AnotherNanPolicyIsRefused) {
    auto facts = spring_facts();
    facts.nan_policy = "one";
    const auto checked = check_match(spring_head(), facts);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, core::ErrorCode::usage);
    EXPECT_EQ(checked.error().message,
              "the recording's hashes treat NaNs as 'bits', the simulation's as 'one'");
    auto head = spring_head();
    head.nan_policy = "one";
    EXPECT_TRUE(check_match(head, facts));
    EXPECT_FALSE(check_match(head, spring_facts()));
}

}  // namespace
}  // namespace isotick::harness
