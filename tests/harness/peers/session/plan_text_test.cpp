#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>

#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

TEST(LockstepPlan, IsReadBackFromItsText) {
    core::Pcg32 random(1);
    for (int i = 0; i < 200; ++i) {
        LockstepPlan plan;
        plan.mode = random.below(2) == 0 ? PeerMode::lockstep : PeerMode::rollback;
        plan.peers = 2 + random.below(6);
        plan.spectators = random.below(2);
        plan.network = *NetworkSpec::parse(random.below(2) == 0 ? "awful" : "delay=80ms loss=3%");
        plan.seed = random.next64();
        plan.most_guessed = 1 + random.below(16);
        if (random.below(2) == 0) {
            plan.adapts_delay = false;
            plan.input_delay = random.below(10);
        }
        for (std::uint32_t peer = 0; peer < plan.peers && random.below(3) > 0; ++peer) {
            PeerFrames frames;
            frames.schedule = core::random_schedule(random.next64(), {});
            frames.drift_ppm = random.between(-300, 300);
            frames.start_ns = random.between(0, 1'000'000'000);
            plan.frames.push_back(frames);
        }
        plan.events = {{PeerEvent::Kind::kill, 1, 1'500'000'000, 0},
                       {PeerEvent::Kind::join, 1, 2'000'000'000, 0},
                       {PeerEvent::Kind::pause, 0, 3'000'000'001, 250'000'000},
                       {PeerEvent::Kind::leave, 1, 4'000'000'000, 0}};
        plan.faults = {{1, PeerFault::wrong_hashes}, {0, PeerFault::two_faced}};
        const std::string text = to_string(plan);
        const auto read = parse_lockstep_plan(text);
        ASSERT_TRUE(read) << text << "\n" << read.error().message;
        EXPECT_EQ(to_string(*read), text);
        LockstepPlan expected = plan;
        while (!expected.frames.empty() && expected.frames.back() == PeerFrames()) {
            expected.frames.pop_back();
        }
        EXPECT_EQ(*read, expected) << text;
    }
}

class BadPlan : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(BadPlan, IsRefusedWithWhatIsWrong) {
    const auto& [text, message] = GetParam();
    const auto plan = parse_lockstep_plan(text);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, core::ErrorCode::usage);
    EXPECT_EQ(plan.error().message, message);
}

INSTANTIATE_TEST_SUITE_P(
    LockstepPlan, BadPlan,
    ::testing::Values(
        std::tuple{"sideways",
                   "in 'sideways': expected lockstep, rollback, N peers, N spectators, N ticks, "
                   "network, seed, delay, guess, frames, fault, leave, kill, join, "
                   "pause, rebind, not 'sideways'"},
        std::tuple{"65 peers",
                   "in '65 peers': at column 1: expected a number of peers from 0 to "
                   "64"},
        std::tuple{"delay 61",
                   "in 'delay 61': at column 1: expected a number of ticks from 0 to "
                   "60"},
        std::tuple{"kill 2", "in 'kill 2': at column 2: expected '@', not the end"},
        std::tuple{"kill 2@-1s", "in 'kill 2@-1s': a time is from 0 s to 1000000 s"},
        std::tuple{"pause 1@3s", "in 'pause 1@3s': at column 5: expected '+', not the end"},
        std::tuple{"fault 2 lazy",
                   "in 'fault 2 lazy': expected alters-inputs, two-faced, wrong-hashes, far-ahead, "
                   "malformed, oversized, floods, keeps-leaver, "
                   "shuns-return, not 'lazy'"},
        std::tuple{"frames 1 fast 0ms accumulator | nominal",
                   "in 'frames 1 fast 0ms accumulator | nominal': expected a drift such as 200ppm, "
                   "not 'fast'"}),
    [](const auto& one) { return std::to_string(one.index); });

std::string why_not(const std::string& text, std::uint32_t players = 4) {
    const auto plan = parse_lockstep_plan(text);
    EXPECT_TRUE(plan);
    const auto options = peer_options(*plan, 0, 0, players, {}, 100);
    return options ? "" : options.error().message;
}

TEST(LockstepPlan, MustMakeSense) {
    EXPECT_EQ(why_not("4 peers"), "");
    EXPECT_EQ(why_not("4 peers", 3),
              "the session has fewer players (3) than peers (4) to play them");
    EXPECT_EQ(why_not("4 peers; 1 spectators", 3), "");
    EXPECT_EQ(why_not("0 peers"), "a session has from 2 to 64 peers, not 0");
    EXPECT_EQ(why_not("1 peers"), "a session has from 2 to 64 peers, not 1");
    EXPECT_EQ(why_not("2 peers; 2 spectators"), "a session needs a peer that is no spectator");
    EXPECT_EQ(why_not("2 peers; join 0@1s; join 1@1s"),
              "no peer with players is there from the start");
    EXPECT_EQ(why_not("2 peers; kill 2@1s"), "peer 2 is none of the 2 peers");
    EXPECT_EQ(why_not("2 peers; kill 1@1s; join 1@2s; join 1@3s"),
              "peer 1 joins while it is there");
    EXPECT_EQ(why_not("2 peers; kill 1@1s; leave 1@2s"),
              "peer 1 is not there for what happens to it");
    EXPECT_EQ(why_not("2 peers; guess 0"), "a peer can run from 1 to 128 ticks ahead, not 0");
}

}  // namespace
}  // namespace isotick::harness
