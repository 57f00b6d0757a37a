#include "sample_game.hpp"
#include "scratch.hpp"

#include <isotick/core/random.hpp>
#include <isotick/replay/writer.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::Tick;
using ::testing::HasSubstr;

constexpr std::uint64_t kTicks = 600;

core::Schedule schedule(const std::string& text) {
    return core::Schedule::parse(text).value();
}

/// A recording of the sample game, and games that play it back.
class PlaybackTest : public Scratch {
  protected:
    PlaybackTest() { record({}); }

    // Pushed now and then, as the Recorder of a game that runs well would see it.
    void record(const RecordingHead& options) {
        RecordingHead head = options;
        head.session.simulation = "ball";
        head.session.players = 1;
        SampleGame game;
        auto writer = Writer::create(path(), head, game.hashes(), {.overwrite = true});
        ASSERT_TRUE(writer);
        core::Pcg32 random(7);
        for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
            const std::uint8_t push = static_cast<std::uint8_t>(random.below(4));
            const isotick_input inputs[] = {{0, push != 0 ? 1U : 0U, push != 0 ? 1U : 0U, &push},
                                            {ISOTICK_WORLD, 0, 0, nullptr}};
            game.step(inputs);
            const TickHashes hashes = game.hashes();
            ASSERT_TRUE(writer->append(inputs, &hashes));
        }
        ASSERT_TRUE(writer->finish(game.hashes()));
    }

    PlaybackReport play(const PlaybackOptions& options, SampleGame game = SampleGame()) {
        auto playback = Playback::open(path(), options);
        EXPECT_TRUE(playback);
        return playback->run([&](core::FrameTime time) { game.frame(*playback, time); });
    }

    PlaybackReport play_fault(LoopFault fault, std::uint64_t from, const std::string& text) {
        return play({.schedule = schedule(text)}, SampleGame(fault, from));
    }

    Playback open(const PlaybackOptions& options = {}) {
        return Playback::open(path(), options).value();
    }
};

TEST_F(PlaybackTest, FindsARightLoopIdenticalUnderEverySchedule) {
    for (const char* text : {"nominal", "30hz", "144hz", "1000hz", "7ms, 100ms, 0ns, -3ms",
                             "mix(seed=1)", "mix(seed=2)", "mix(seed=3)", "60x60hz, 1x3s"}) {
        const PlaybackReport report = play({.schedule = schedule(text)});
        EXPECT_EQ(report.verdict, PlaybackVerdict::identical) << text << "\n" << describe(report);
        EXPECT_EQ(report.ticks, kTicks) << text;
        EXPECT_EQ(report.hashes_compared, kTicks) << text;
    }
}

TEST_F(PlaybackTest, CatchesADroppedRemainderAtTheFrameWhereATickIsMissing) {
    const PlaybackReport report = play_fault(LoopFault::drops_remainder, 0, "25ms");
    // Two ticks are behind when the fourth frame has ended: 100 ms hold 6, the game made 4.
    EXPECT_EQ(report.verdict, PlaybackVerdict::off_pace) << describe(report);
    EXPECT_EQ(report.frames, 4U);
    ASSERT_TRUE(report.pace);
    EXPECT_EQ(report.pace->ticks_done, 4U);
    EXPECT_EQ(report.pace->ticks_due, 6U);
    EXPECT_THAT(report.reason, HasSubstr("after frame 3 the game has made 4 ticks where 6 were"));
}

TEST_F(PlaybackTest, CatchesADroppedRemainderUnderEveryMix) {
    for (int seed = 0; seed < 20; ++seed) {
        const std::string text = "mix(seed=" + std::to_string(seed) + ")";
        const PlaybackReport report = play_fault(LoopFault::drops_remainder, 0, text);
        EXPECT_EQ(report.verdict, PlaybackVerdict::off_pace) << text << "\n" << describe(report);
    }
}

TEST_F(PlaybackTest, CatchesALoopThatIgnoresTheClock) {
    const PlaybackReport report = play_fault(LoopFault::one_tick_per_frame, 0, "144hz");
    EXPECT_EQ(report.verdict, PlaybackVerdict::off_pace) << describe(report);
    EXPECT_GT(report.pace->ticks_done, report.pace->ticks_due);
}

TEST_F(PlaybackTest, CatchesAFrameTimeInTheStateAtItsTick) {
    const PlaybackReport report = play_fault(LoopFault::frame_time_in_state, 100, "144hz");
    ASSERT_EQ(report.verdict, PlaybackVerdict::diverged) << describe(report);
    EXPECT_EQ(report.divergence->tick, Tick{100});
    EXPECT_EQ(report.divergence->last_agreed, Tick{99});
}

TEST_F(PlaybackTest, CatchesAStateChangedInRenderAtTheNextTick) {
    const PlaybackReport report = play_fault(LoopFault::moves_while_rendering, 50, "1000hz");
    ASSERT_EQ(report.verdict, PlaybackVerdict::diverged) << describe(report);
    EXPECT_EQ(report.divergence->tick, Tick{50});
    EXPECT_GT(report.divergence->idle_frames, 10U);
    EXPECT_THAT(describe(report), HasSubstr("frames without a tick"));
}

TEST_F(PlaybackTest, CatchesASkippedTick) {
    const PlaybackReport report = play_fault(LoopFault::skips_second_tick, 30, "34ms");
    EXPECT_EQ(report.verdict, PlaybackVerdict::out_of_order);
    EXPECT_THAT(report.reason, HasSubstr("tick 32 was asked for, but the next is tick 31"));
}

TEST_F(PlaybackTest, CatchesATickThatRunsTwice) {
    const PlaybackReport report = play_fault(LoopFault::repeats_first_tick, 30, "34ms");
    ASSERT_EQ(report.verdict, PlaybackVerdict::diverged) << describe(report);
    EXPECT_EQ(report.divergence->tick, Tick{30});
    EXPECT_EQ(report.divergence->last_agreed, Tick{30});
}

TEST_F(PlaybackTest, JudgesThePaceByTheLoopThatTheGameSaysItHas) {
    // Frames of 400 ms, of which the game cuts 150.
    const PlaybackOptions honest{.schedule = schedule("400ms")};
    EXPECT_EQ(play(honest).verdict, PlaybackVerdict::identical);
    const PlaybackOptions wrong{.schedule = schedule("400ms"), .loop = {.longest_frame = {}}};
    EXPECT_EQ(play(wrong).verdict, PlaybackVerdict::off_pace);
    const PlaybackOptions careless{
        .schedule = schedule("400ms"), .loop = {.longest_frame = {}}, .pace_slack = {}};
    EXPECT_EQ(play(careless).verdict, PlaybackVerdict::identical);
}

TEST_F(PlaybackTest, TellsAnotherInitialStateFromADivergence) {
    Playback playback = open();
    EXPECT_FALSE(playback.check_initial({core::StateHash{1}, {}}));
    const PlaybackReport report = playback.report();
    ASSERT_EQ(report.verdict, PlaybackVerdict::diverged);
    EXPECT_FALSE(report.divergence->tick);
    Playback right = open();
    EXPECT_TRUE(right.check_initial(SampleGame().hashes()));
}

TEST_F(PlaybackTest, PlaysUpToATick) {
    const PlaybackReport report = play({.schedule = schedule("17ms"), .until = Tick{99}});
    EXPECT_EQ(report.verdict, PlaybackVerdict::identical);
    EXPECT_EQ(report.ticks, 100U);
    EXPECT_EQ(report.frames, 99U);  // the hundredth tick is due after 98.04
}

TEST_F(PlaybackTest, BlamesNoGameForTicksThatWereNotRecorded) {
    // The frame holds 60 ticks; the game knows that there are only ten.
    Playback playback =
        open({.schedule = schedule("1s"), .loop = {.longest_frame = {}}, .until = Tick{9}});
    std::ignore = playback.next_frame();
    SampleGame game;
    for (std::uint64_t tick = 0; tick < 10; ++tick) {
        game.step(*playback.inputs(Tick{tick}));
        ASSERT_TRUE(playback.check(Tick{tick}, [&] { return game.hashes(); }));
    }
    EXPECT_FALSE(playback.next_frame());
    EXPECT_EQ(playback.report().verdict, PlaybackVerdict::identical);
}

TEST_F(PlaybackTest, IsInconclusiveWhereTheGameStops) {
    Playback playback = open();
    SampleGame game;
    for (int frame = 0; frame < 40; ++frame) {
        game.frame(playback, *playback.next_frame());
    }
    const PlaybackReport report = playback.report();
    EXPECT_EQ(report.verdict, PlaybackVerdict::inconclusive);
    EXPECT_THAT(report.reason, HasSubstr("before the recording's end"));
    EXPECT_FALSE(playback.next_frame());
}

TEST_F(PlaybackTest, IsInconclusiveWhereNoTimePasses) {
    const PlaybackReport report = play({.schedule = schedule("0ns"), .most_frames = 1000});
    EXPECT_EQ(report.verdict, PlaybackVerdict::inconclusive);
    EXPECT_EQ(report.frames, 1000U);
}

TEST_F(PlaybackTest, ComparesHashesOnlyWhereTheyAreRecorded) {
    record({.hash_every = 7});
    const PlaybackReport report = play({.schedule = schedule("144hz")});
    EXPECT_EQ(report.verdict, PlaybackVerdict::identical) << describe(report);
    EXPECT_EQ(report.hashes_compared, kTicks / 7 + 1);  // and the last
}

TEST_F(PlaybackTest, NoticesAHashThatIsNotHandedIn) {
    Playback playback = open();
    std::ignore = playback.next_frame();
    EXPECT_TRUE(playback.inputs(Tick{0}));
    EXPECT_FALSE(playback.inputs(Tick{1}));
    const PlaybackReport report = playback.report();
    EXPECT_EQ(report.verdict, PlaybackVerdict::out_of_order);
    EXPECT_THAT(report.reason, HasSubstr("the hash after tick 0"));
}

TEST_F(PlaybackTest, NoticesAHashOfATickThatWasNotPlayed) {
    Playback playback = open();
    std::ignore = playback.next_frame();
    const TickHashes hashes{};
    EXPECT_FALSE(playback.check(Tick{5}, &hashes));
    EXPECT_THAT(playback.report().reason, HasSubstr("tick 5"));
}

TEST_F(PlaybackTest, NoticesATickBeforeTheFirstFrame) {
    Playback playback = open();
    EXPECT_FALSE(playback.inputs(Tick{0}));
    EXPECT_EQ(playback.report().verdict, PlaybackVerdict::out_of_order);
}

TEST_F(PlaybackTest, LetsAGamePlayTicksAgainWithinItsRollback) {
    Playback playback =
        open({.schedule = schedule("1s"), .loop = {.longest_frame = {}}, .most_rollback = 4});
    std::ignore = playback.next_frame();
    SampleGame game;
    std::vector<SampleGame> before;
    for (std::uint64_t tick = 0; tick < 10; ++tick) {
        before.push_back(game);
        game.step(*playback.inputs(Tick{tick}));
        ASSERT_TRUE(playback.check(Tick{tick}, [&] { return game.hashes(); }));
    }
    game = before[6];
    for (std::uint64_t tick = 6; tick < 20; ++tick) {
        game.step(*playback.inputs(Tick{tick}));
        ASSERT_TRUE(playback.check(Tick{tick}, [&] { return game.hashes(); })) << tick;
    }
    EXPECT_FALSE(playback.inputs(Tick{10}));
    EXPECT_THAT(playback.report().reason, HasSubstr("longer ago than most_rollback allows"));
}

TEST_F(PlaybackTest, PlaysWhatIsIntactAndSaysSo) {
    auto bytes = read_bytes(path());
    Corruption corruption(bytes);
    corruption.flip_byte(corruption.chunks()[2] + 30).save(path("bad"));
    auto playback = Playback::open(path("bad"));
    ASSERT_TRUE(playback);
    SampleGame game;
    const auto report = playback->run([&](core::FrameTime time) { game.frame(*playback, time); });
    EXPECT_EQ(report.verdict, PlaybackVerdict::unreadable);
    EXPECT_EQ(report.ticks, 128U);
    EXPECT_TRUE(report.damage);
}

TEST(PlaybackReport, IsDescribedPrintably) {
    PlaybackReport report;
    report.verdict = PlaybackVerdict::diverged;
    report.reason = "\x1b[2J";
    report.divergence.emplace().parts = {"units\nidentical\xff"};
    const std::string text = describe(report);
    EXPECT_THAT(text, HasSubstr("diverged: \\u001b[2J\n"));
    EXPECT_THAT(text, HasSubstr("differs in    units\\nidentical\\xff\n"));
}

TEST_F(PlaybackTest, KeepsAFakeClock) {
    Playback playback = open({.schedule = schedule("5ms, -2ms, 10ms")});
    for (const std::int64_t now : {5'000'000, 3'000'000, 13'000'000}) {
        std::ignore = playback.next_frame();
        EXPECT_EQ(playback.clock_ns(), now);
    }
}

TEST_F(PlaybackTest, RefusesOptionsThatMakeNoSense) {
    EXPECT_EQ(Playback::open(path(), {.most_rollback = 65'537}).error().code,
              core::ErrorCode::usage);
    EXPECT_FALSE(Playback::open(path(), {.loop = {.most_ticks = 0}}));
    EXPECT_EQ(Playback::open(path("absent")).error().code, core::ErrorCode::io);
}

}  // namespace
}  // namespace isotick::replay
