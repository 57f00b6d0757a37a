// What a time line shows of a session, and where.

#include "report/time_line_lane.hpp"
#include "system/rows.hpp"

#include <isotick/harness/lockstep.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(TimeLineWindow, IsAllOfAShortSession) {
    EXPECT_EQ(window_of(20 * kSecond, std::nullopt), (Window{0, 20 * kSecond}));
    EXPECT_EQ(window_of(30 * kSecond, 29 * kSecond), (Window{0, 30 * kSecond}));
    EXPECT_GT(window_of(0, std::nullopt).length(), 0);
}

TEST(TimeLineWindow, IsThePartAroundWhatWentWrong) {
    EXPECT_EQ(window_of(3600 * kSecond, std::nullopt), (Window{0, 30 * kSecond}));
    EXPECT_EQ(window_of(3600 * kSecond, 100 * kSecond), (Window{80 * kSecond, 110 * kSecond}));
    EXPECT_EQ(window_of(3600 * kSecond, 5 * kSecond), (Window{0, 30 * kSecond}));
    EXPECT_EQ(window_of(3600 * kSecond, 3599 * kSecond), (Window{3570 * kSecond, 3600 * kSecond}));
}

TEST(TimeLineSvg, NumbersAreExact) {
    EXPECT_EQ(svg_number(0), "0");
    EXPECT_EQ(svg_number(-5), "-0.5");
    EXPECT_EQ(svg_number(120), "12");
    EXPECT_EQ(svg_number(-123), "-12.3");
}

TEST(TimeLineSvg, TextStaysText) {
    EXPECT_EQ(xml_escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    EXPECT_THAT(xml_escaped(std::string("\x01\x1b[31m", 6)), Not(HasSubstr("\x1b")));
}

/// A session of a second, one frame each 100 ms. Its lanes have their lines at 180 and 316.
class ATimeLine : public ::testing::Test {
  protected:
    void SetUp() override {
        report_.head.session.simulation = "mine <b>";
        LockstepTrial& trial = report_.shown;
        trial.plan = parse_lockstep_plan("rollback; 2 peers; network lan").value();
        trial.ticks = 10;
        trial.ended_ns = kSecond;
        for (std::uint32_t peer = 0; peer < 2; ++peer) {
            PeerOutcome& outcome = trial.outcomes.emplace_back();
            outcome.run.peer = peer;
            outcome.run.state = PeerState::finished;
            outcome.run.ended_ns = kSecond;
            for (std::uint64_t tick = 0; tick < 10; ++tick) {
                outcome.run.moments.push_back(
                    {static_cast<std::int64_t>(tick) * kSecond / 10, tick + 11, tick + 11});
            }
        }
        run(1).moments[9].confirmed = 12;  // the most that any runs ahead: 8 ticks, 52 units
    }

    PeerRun& run(std::size_t outcome) { return report_.shown.outcomes[outcome].run; }
    [[nodiscard]] std::string svg() const { return time_line_svg(report_); }
    static std::size_t count(const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos;
             at = text.find(part, at + 1)) {
            ++found;
        }
        return found;
    }

    LockstepReport report_;
};

TEST_F(ATimeLine, NamesSessionAndVerdict) {
    EXPECT_THAT(svg(), HasSubstr(">mine &lt;b&gt;: 2 peers in rollback over lan</text>"));
    EXPECT_THAT(svg(), HasSubstr(">agreed: all peers and the offline replay</text>"));
    EXPECT_THAT(svg(), HasSubstr("10 ticks of 60hz, trial 0, seed 0, 1.0 s</text>"));
    EXPECT_EQ(count(svg(), "class=\"lane\" x="), 2U);
    EXPECT_EQ(svg(), svg());
}

// Frames are 101.1 units wide, from 165 on; 4 ticks below the line are 31 units.
TEST_F(ATimeLine, DrawsARollbackWhereItIsByItsDepth) {
    run(0).moments[5].back = 4;
    const std::string one = svg();
    EXPECT_THAT(one, HasSubstr("<path class=\"back\" d=\"M670.5 180V211\"/>"));
    EXPECT_EQ(count(one, "<path class=\"back\" d=\"M670"), 1U);
    run(0).moments[5].back = 2;
    run(1).moments[5].back = 4;
    EXPECT_THAT(svg(), HasSubstr("<path class=\"back\" d=\"M670.5 180V195.5\"/>"));
    EXPECT_THAT(svg(), HasSubstr("<path class=\"back\" d=\"M670.5 316V347\"/>"));
}

TEST_F(ATimeLine, DrawsEachFrameThatStalledOrWaited) {
    const std::string none = svg();
    run(1).moments[3].stalled = true;
    run(1).moments[4].stalled = true;
    run(1).moments[7].waits = true;
    EXPECT_EQ(count(svg(), "class=\"stall\""), count(none, "class=\"stall\"") + 2);
    EXPECT_EQ(count(svg(), "class=\"wait\""), count(none, "class=\"wait\"") + 1);
}

TEST_F(ATimeLine, DrawsHowFarAPeerRunsAhead) {
    for (std::size_t i = 4; i < 7; ++i) {
        run(0).moments[i].confirmed = run(0).moments[i].tick - 8;
    }
    run(0).moments[5].confirmed += 4;
    // From the frame at 0.4 s to that at 0.7 s: all 52 units, half of them, all.
    EXPECT_THAT(svg(), HasSubstr("H569.4V128H670.5V154H771.6V128H872.7V180"));
}

TEST_F(ATimeLine, SaysWhoComesAndGoes) {
    run(0).killed = true;
    run(0).ended_ns = kSecond / 2;
    run(0).moments.resize(5);
    run(1).incarnation = 1;
    run(1).began_ns = kSecond / 4;
    const std::string drawn = svg();
    EXPECT_EQ(count(drawn, ">killed</text>"), 1U);
    EXPECT_EQ(count(drawn, ">joined</text>"), 1U);
    EXPECT_THAT(drawn, HasSubstr("<rect class=\"gone\" x=\"670.5\" y=\"118\" width=\"505.5\""));
    EXPECT_THAT(drawn, HasSubstr("<rect class=\"gone\" x=\"165\" y=\"254\" width=\"252.7\""));
}

TEST_F(ATimeLine, DrawsPacketsInTheLaneOfWhoShouldGetThem) {
    const std::string none = svg();
    report_.shown.logged = {{0, 1, 7, PacketFate::lost, kSecond / 2, 0},
                            {0, 1, 8, PacketFate::late, kSecond / 2, 100'000'000},
                            {1, 0, 9, PacketFate::twice, kSecond / 2, 0},
                            {1, 0, 9, PacketFate::late, kSecond / 2, 1'000'000}};  // too little
    const std::string drawn = svg();
    EXPECT_THAT(drawn, HasSubstr("<path class=\"lost\" d=\"M670.5 376V364.8\"/>"));
    EXPECT_THAT(drawn, HasSubstr("<path class=\"late\" d=\"M670 376V369\"/>"));
    EXPECT_THAT(drawn, HasSubstr("<path class=\"twice\" d=\"M670.5 240V236\"/>"));
    EXPECT_EQ(count(drawn, "class=\"late\""), count(none, "class=\"late\"") + 1);
}

TEST_F(ATimeLine, MarksTheDivergence) {
    report_.shown.verdict = Verdict::diverged;
    LockstepDivergence& found = report_.shown.divergence.emplace();
    found.outcome = 1;
    found.ticks_done = 6;
    found.context.frame = 5;
    const std::string drawn = svg();
    EXPECT_THAT(drawn, HasSubstr(">diverged at tick 5: peer 1</text>"));
    EXPECT_THAT(drawn, HasSubstr("<path class=\"parted\" d=\"M670.5 254V380\"/>"));
    EXPECT_EQ(count(drawn, ">diverged at tick 5</text>"), 1U);
    EXPECT_EQ(failure_of(report_.shown)->at_ns, kSecond / 2);
    found.context.frame = 400;  // there is none
    EXPECT_EQ(failure_of(report_.shown)->at_ns, kSecond / 10 * 9);
    run(1).moments.clear();
    EXPECT_FALSE(failure_of(report_.shown));
}

TEST_F(ATimeLine, OfALongSessionSaysWhichPartItShows) {
    report_.shown.ended_ns = 40 * kSecond;
    EXPECT_THAT(svg(), HasSubstr("40.0 s; shown: 0.0 s to 30.0 s, the beginning</text>"));
}

}  // namespace
}  // namespace isotick::harness
