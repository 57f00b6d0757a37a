#include "fake_session.hpp"

#include <isotick/core/random.hpp>
#include <isotick/harness/detail/session_course.hpp>

#include <array>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

constexpr std::array kProfiles{"perfect", "lan", "broadband", "mobile", "satellite", "awful"};

LockstepPlan plan_of(const std::string& text) {
    auto plan = parse_lockstep_plan(text);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
    return plan.value_or(LockstepPlan());
}

SessionCourse computed(const LockstepPlan& plan, const SessionInputs& inputs) {
    auto course = compute_session(plan, inputs, {});
    EXPECT_TRUE(course) << (course ? "" : course.error().message);
    return course ? *std::move(course) : SessionCourse();
}

// `rollback_awful_2`; events are too long to be a part of a name.
template <class Parameter>
std::string name_of(const ::testing::TestParamInfo<Parameter>& info) {
    return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" +
           std::to_string(info.index);
}

class Profiles : public ::testing::TestWithParam<std::tuple<const char*, const char*, int>> {};

TEST_P(Profiles, GiveEveryPeerTheStatesOfTheOfflineRun) {
    const auto [mode, profile, peers] = GetParam();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto inputs = pad_inputs(4, 1200, seed);
        const LockstepPlan plan =
            plan_of(std::string(mode) + "; " + std::to_string(peers) + " peers; network " +
                    profile + "; seed " + std::to_string(seed));
        const SessionCourse course = computed(plan, inputs);
        EXPECT_EQ(course.end, SessionEnd::finished);
        EXPECT_EQ(failures_of(course, inputs), "") << to_string(plan);
        for (const PeerRun& run : course.runs) {
            EXPECT_EQ(run.state, PeerState::finished);
            EXPECT_EQ(run.verified, 1200U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Session, Profiles,
                         ::testing::Combine(::testing::Values("lockstep", "rollback"),
                                            ::testing::ValuesIn(kProfiles),
                                            ::testing::Values(2, 3, 4)),
                         name_of<Profiles::ParamType>);

class Comings : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {
};

TEST_P(Comings, AndGoingsLeaveTheOthersInAgreement) {
    const auto [mode, profile, events] = GetParam();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto inputs = pad_inputs(4, 1800, seed);
        const LockstepPlan plan = plan_of(std::string(mode) + "; network " + profile + "; seed " +
                                          std::to_string(seed) + "; " + events);
        const SessionCourse course = computed(plan, inputs);
        EXPECT_EQ(failures_of(course, inputs), "") << to_string(plan);
        std::size_t finished = 0;
        for (const PeerRun& run : course.runs) {
            finished += run.state == PeerState::finished ? 1 : 0;
            EXPECT_TRUE(run.killed || run.state == PeerState::finished ||
                        run.state == PeerState::left)
                << to_string(plan) << "\npeer " << run.peer << " " << to_string(run.state);
        }
        EXPECT_GE(finished, 2U) << to_string(plan);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Session, Comings,
    ::testing::Combine(
        ::testing::Values("lockstep", "rollback"), ::testing::Values("lan", "mobile", "awful"),
        ::testing::Values("3 peers; leave 2@10s", "3 peers; kill 2@10s", "4 peers; kill 0@8s",
                          "3 peers; join 2@5s", "3 peers; kill 2@5s; join 2@10s",
                          "3 peers; kill 2@5s; join 2@5.1s", "4 peers; 1 spectators",
                          "4 peers; pause 1@5s+2s", "4 peers; kill 3@4s; leave 1@6s; join 1@12s",
                          "4 peers; kill 0@5s; join 0@12s")));

// What networks and peers do at the worst moments: nobody waits forever, and all who go on agree.
class Trouble : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {
};

TEST_P(Trouble, NeitherSplitsNorStallsASession) {
    const char* mode = std::get<0>(GetParam());
    const char* events = std::get<2>(GetParam());
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const auto inputs = pad_inputs(4, 1200, seed);
        const LockstepPlan plan =
            plan_of(std::string(mode) + "; seed " + std::to_string(seed) + "; " + events);
        const SessionCourse course = computed(plan, inputs);
        EXPECT_EQ(failures_of(course, inputs), "") << to_string(plan);
    }
}

template <class... Cases>
auto trouble_of(const char* mode, Cases... cases) {
    return ::testing::Values(std::tuple{mode, cases.first, cases.second}...);
}

auto troubles(const char* mode) {
    using Case = std::pair<const char*, const char*>;
    return trouble_of(
        mode,
        Case{"ReturnsBeforeItIsMissed",
             "3 peers; network mobile; kill 2@10s; join 2@10.2s; pause 1@9.9s+1.2s"},
        Case{"WatcherMissesADropAndAReturn",
             "4 peers; 1 spectator; network broadband cut(3@4.9s+6s); kill 2@5s; join 2@8.9s"},
        Case{"DiesAtTheEnd", "3 peers; network mobile; kill 2@19.85s"},
        Case{"LeavesAtTheEnd", "3 peers; network mobile; leave 2@19.85s"},
        Case{"DiesFarAwayAtTheEnd", "3 peers; network satellite; kill 1@19.7s"},
        Case{"LongOutagesOfFour", "4 peers; network delay=20ms loss=20% burst=150"},
        Case{"LongOutagesOfTwo", "2 peers; network delay=20ms loss=20% burst=150"},
        Case{"NearlyTooLongAPause", "4 peers; network mobile; pause 0@5s+2.99s"},
        Case{"JoinsAtOnce", "4 peers; network mobile; join 3@0s"},
        Case{"LeavesAndReturns", "3 peers; network mobile; leave 2@10s; join 2@10.5s"},
        Case{"ReturnsThreeTimes",
             "4 peers; network lan; kill 0@3s; join 0@5s; kill 0@7s; join 0@9s; kill 0@11s; "
             "join 0@13s; join 3@15s"},
        Case{"AShortCut", "3 peers; network mobile cut(0|1,2@5s+2s)"},
        Case{"ALongCut", "3 peers; network mobile cut(0|1,2@5s+4s)"},
        Case{"TwoDieAndReturn",
             "4 peers; network awful; kill 0@5s; kill 1@6s; join 0@15s; "
             "join 1@16s"});
}

// `drop(1>0#7) drop(1>0#8) …`
std::string dropped(const std::string& link, int first, int last) {
    std::string text;
    for (int packet = first; packet <= last; ++packet) {
        text += " drop(" + link + "#" + std::to_string(packet) + ")";
    }
    return text;
}

TEST(TroubleAtTheEnd, LastWordsThatNobodyHeardDoNotCount) {
    const auto inputs = pad_inputs(3, 600, 1);
    for (const char* mode : {"lockstep", "rollback"}) {
        for (int first = 176; first < 184; ++first) {
            const SessionCourse course =
                computed(plan_of(std::string(mode) + "; 3 peers; kill 1@3.05s; network delay=20ms" +
                                 dropped("1>0", first, 190) + dropped("1>2", first, 190)),
                         inputs);
            EXPECT_EQ(failures_of(course, inputs), "") << mode << first;
        }
    }
}

// Peer 0 hears peer 1 no more, and less of the one that leaves than peer 1 does.
TEST(TroubleAtTheEnd, WhoHearsLessIsNotBlamed) {
    const auto inputs = pad_inputs(3, 600, 1);
    for (const char* mode : {"lockstep", "rollback"}) {
        for (const int leaves : {1700, 2000, 3200}) {
            const int last = leaves * 60 / 1000;
            const SessionCourse course =
                computed(plan_of(std::string(mode) + "; 3 peers; leave 2@" +
                                 std::to_string(leaves) + "ms; network delay=20ms" +
                                 dropped("1>0", 100, 900) + dropped("2>0", last - 4, last + 6)),
                         inputs);
            EXPECT_EQ(failures_of(course, inputs), "") << mode << leaves;
            EXPECT_EQ(course.runs[0].state, PeerState::finished) << mode << leaves;
            EXPECT_NE(course.runs[1].state, PeerState::finished) << mode << leaves;
        }
    }
}

// A spectator that nobody hears for a time has more of peer 1 than those who agree on its end.
TEST(TroubleAtTheEnd, ASpectatorThatNobodyAskedIsOut) {
    const auto inputs = pad_inputs(3, 600, 1);
    for (const char* mode : {"lockstep", "rollback"}) {
        const SessionCourse course =
            computed(plan_of(std::string(mode) + "; 4 peers; 1 spectator; kill 1@3.2s; network " +
                             "delay=20ms" + dropped("1>0", 186, 196) + dropped("1>2", 186, 196) +
                             dropped("3>0", 100, 700) + dropped("3>2", 100, 700)),
                     inputs);
        EXPECT_EQ(failures_of(course, inputs), "") << mode;
        EXPECT_EQ(course.runs[3].state, PeerState::dropped) << mode;
        EXPECT_EQ(course.runs[0].state, PeerState::finished) << mode;
    }
}

std::string trouble_name(const ::testing::TestParamInfo<Trouble::ParamType>& given) {
    return std::string(std::get<0>(given.param)) + std::get<1>(given.param);
}

INSTANTIATE_TEST_SUITE_P(Lockstep, Trouble, troubles("lockstep"), trouble_name);
INSTANTIATE_TEST_SUITE_P(Rollback, Trouble, troubles("rollback"), trouble_name);

}  // namespace
}  // namespace isotick::harness
