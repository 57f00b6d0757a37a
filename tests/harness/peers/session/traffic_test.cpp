// What peers send, and that many of them come to an end.

#include "fake_session.hpp"

#include <isotick/harness/detail/session_course.hpp>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

/// Pads that nobody touches: one byte, always the same.
SessionInputs idle_pads(std::uint32_t players, std::uint64_t ticks) {
    const std::uint8_t pad = 0;
    std::vector<isotick_input> row;
    for (std::uint32_t player = 0; player < players; ++player) {
        row.push_back({player, 1, 1, &pad});
    }
    row.push_back({ISOTICK_WORLD, 0, 0, nullptr});
    SessionInputs inputs(players);
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        inputs.append(row);
    }
    return inputs;
}

SessionCourse computed_traffic(const std::string& text, const SessionInputs& inputs) {
    auto course = compute_session(parse_lockstep_plan(text).value(), inputs, {});
    EXPECT_TRUE(course) << (course ? "" : course.error().message);
    return course ? *std::move(course) : SessionCourse();
}

class Traffic : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Traffic, OfTwoIdlePlayersIsAtMost24BytesPerPeerAndTick) {
    constexpr std::uint64_t kTicks = 3600;
    const auto [mode, network] = GetParam();
    const SessionCourse course = computed_traffic(
        std::string(mode) + "; 2 peers; network " + network + "; seed 3", idle_pads(2, kTicks));
    ASSERT_EQ(course.runs.size(), 2U);
    for (const PeerRun& run : course.runs) {
        EXPECT_EQ(run.verified, kTicks);
        EXPECT_LE(run.statistics.bytes_sent, 24 * kTicks)
            << static_cast<double>(run.statistics.bytes_sent) / kTicks << " bytes a tick";
        EXPECT_GE(run.statistics.packets_sent, kTicks) << "what follows stands on all of them";
        RecordProperty("bytes_per_tick_x100",
                       static_cast<int>(run.statistics.bytes_sent * 100 / kTicks));
    }
}

INSTANTIATE_TEST_SUITE_P(Session, Traffic,
                         ::testing::Combine(::testing::Values("lockstep", "rollback"),
                                            ::testing::Values("lan", "broadband", "mobile")));

TEST(ManyPeers, OfBothModesComeToAnEnd) {
    constexpr std::uint64_t kTicks = 600;
    const auto inputs = pad_inputs(64, kTicks, 5);
    for (const char* const mode : {"lockstep", "rollback"}) {
        const SessionCourse course =
            computed_traffic(std::string(mode) + "; 64 peers; network lan; seed 1", inputs);
        EXPECT_EQ(course.end, SessionEnd::finished);
        EXPECT_EQ(failures_of(course, inputs), "") << mode;
        ASSERT_EQ(course.runs.size(), 64U);
        for (const PeerRun& run : course.runs) {
            EXPECT_EQ(run.state, PeerState::finished);
            EXPECT_EQ(run.verified, kTicks);
        }
    }
}

}  // namespace
}  // namespace isotick::harness
