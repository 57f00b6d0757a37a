#include <isotick/core/reference.hpp>
#include <isotick/harness/match.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

isotick_info spring_info() {
    return *core::find_reference_simulation("spring")->info;
}

replay::RecordingHead spring_head() {
    replay::RecordingHead head;
    head.session.simulation = "spring";
    head.session.players = spring_info().usual_players;
    return head;
}

TEST(Match, ARecordingOfTheSimulationFits) {
    EXPECT_TRUE(check_match(spring_head(), spring_info()));
}

TEST(Match, AnotherHashAlgorithmIsRefused) {
    auto head = spring_head();
    head.hash_algorithm = "user:crc64";
    EXPECT_THAT(check_match(head, spring_info()).error().message, HasSubstr("user:crc64"));
}

TEST(Match, AnotherNanPolicyIsRefused) {
    auto info = spring_info();
    info.nan_policy = "one";
    const auto checked = check_match(spring_head(), info);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, core::ErrorCode::usage);
    EXPECT_EQ(checked.error().message,
              "the recording's hashes treat NaNs as 'bits', the simulation's as 'one'");
    auto head = spring_head();
    head.nan_policy = "one";
    EXPECT_TRUE(check_match(head, info));
    EXPECT_FALSE(check_match(head, spring_info()));
}

}  // namespace
}  // namespace isotick::harness
