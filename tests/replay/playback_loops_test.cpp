// Games whose loops read a clock, with the rules that such loops have, and what Playback is told of
// them.

#include "scratch.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/replay/playback.hpp>
#include <isotick/replay/writer.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::Tick;
using ::testing::HasSubstr;

constexpr std::uint64_t kLoopTicks = 600;
constexpr std::uint64_t kMost = 5;
constexpr std::array kSchedules{"nominal",     "400ms",       "90ms",
                                "144hz",       "mix(seed=1)", "7ms, 1s, 0ns, -3ms",
                                "mix(seed=2)", "mix(seed=3)"};

/// Counts; its loop is one of those below.
class ClockedGame {
  public:
    explicit ClockedGame(Playback& playback) : playback_(playback) {}

    /// The whole ticks that the clock shows, at 60 per second.
    [[nodiscard]] std::int64_t now() const { return playback_.clock_ns() * 60 / 1'000'000'000; }

    /// Where the game would sleep. False when it is over.
    bool wait() { return playback_.next_frame().has_value(); }

    /// False when it is over.
    bool tick() {
        if (!playback_.inputs(Tick{count_})) {
            return false;
        }
        ++count_;
        return playback_.check(Tick{count_ - 1}, [&] { return hashes(count_); });
    }

    static TickHashes hashes(std::uint64_t count) {
        return {core::hash_bytes(std::as_bytes(std::span(&count, 1))), {}};
    }

  private:
    Playback& playback_;
    std::uint64_t count_ = 0;
};

using Loop = std::function<void(ClockedGame&)>;

/// Doom's: at most five ticks, and the clock's whole ticks beyond them are forgotten.
void drop_the_rest(ClockedGame& game) {
    for (std::int64_t last = 0; game.wait(); last = std::max(last, game.now())) {
        const std::int64_t due = std::min<std::int64_t>(game.now() - last, kMost);
        for (std::int64_t i = 0; i < due && game.tick(); ++i) {
        }
    }
}

/// The same; but it makes no turn without a tick: within a frame it waits for one.
void wait_within_a_frame(ClockedGame& game) {
    std::int64_t last = 0;
    while (true) {
        while (game.now() <= last) {
            if (!game.wait()) {
                return;
            }
        }
        const std::int64_t due = std::min<std::int64_t>(game.now() - last, kMost);
        last = game.now();
        for (std::int64_t i = 0; i < due && game.tick(); ++i) {
        }
    }
}

/// At most five ticks, and what is left of the clock comes later (deWiTTERS, "Constant Game Speed
/// with Maximum FPS": MAX_FRAMESKIP).
void catch_up_later(ClockedGame& game) {
    for (std::int64_t made = 0; game.wait();) {
        for (std::uint64_t i = 0; i < kMost && game.now() > made && game.tick(); ++i) {
            ++made;
        }
    }
}

class PlaybackLoops : public Scratch {
  protected:
    PlaybackLoops() {
        RecordingHead head;
        head.session.simulation = "clocked";
        auto writer = Writer::create(path(), head, ClockedGame::hashes(0), {.overwrite = true});
        const isotick_input world{ISOTICK_WORLD, 0, 0, nullptr};
        for (std::uint64_t tick = 0; tick < kLoopTicks; ++tick) {
            const TickHashes hashes = ClockedGame::hashes(tick + 1);
            EXPECT_TRUE(writer->append({&world, 1}, &hashes));
        }
        EXPECT_TRUE(writer->finish(ClockedGame::hashes(kLoopTicks)));
    }

    PlaybackReport play(const Loop& loop, const core::LoopOptions& rule, const char* schedule) {
        auto playback = Playback::open(
            path(), {.schedule = core::Schedule::parse(schedule).value(), .loop = rule});
        EXPECT_TRUE(playback);
        ClockedGame game(*playback);
        loop(game);
        return playback->report();
    }

    void expect_identical(const Loop& loop, const core::LoopOptions& rule) {
        for (const char* schedule : kSchedules) {
            const PlaybackReport report = play(loop, rule, schedule);
            EXPECT_EQ(report.verdict, PlaybackVerdict::identical) << schedule << describe(report);
            EXPECT_EQ(report.ticks, kLoopTicks) << schedule;
        }
    }
};

constexpr core::LoopOptions kRestDropped{
    .longest_frame = {}, .most_ticks = kMost, .negative = core::NegativeTime::repaid};
constexpr core::LoopOptions kRestLater{.longest_frame = {},
                                       .most_ticks = kMost,
                                       .debt = core::Debt::kept,
                                       .negative = core::NegativeTime::repaid};

TEST_F(PlaybackLoops, KnowsAtMostSoManyTicksAndTheRestDropped) {
    expect_identical(drop_the_rest, kRestDropped);
    EXPECT_EQ(play(drop_the_rest, kRestDropped, "400ms").most_ticks_per_frame, kMost);
}

TEST_F(PlaybackLoops, KnowsAtMostSoManyTicksAndTheRestLater) {
    expect_identical(catch_up_later, kRestLater);
    EXPECT_EQ(play(catch_up_later, kRestLater, "400ms").most_ticks_per_frame, kMost);
}

TEST_F(PlaybackLoops, TellsTheRulesApart) {
    for (const auto& [loop, wrong] : {std::pair<Loop, core::LoopOptions>{drop_the_rest, {}},
                                      {drop_the_rest, kRestLater},
                                      {catch_up_later, kRestDropped}}) {
        const PlaybackReport report = play(loop, wrong, "1s, 30x1ms");
        EXPECT_EQ(report.verdict, PlaybackVerdict::off_pace) << describe(report);
    }
}

TEST_F(PlaybackLoops, DrivesALoopThatWaitsWithinAFrame) {
    expect_identical(wait_within_a_frame, kRestDropped);
    // Nine of ten waits bring no tick.
    const PlaybackReport report = play(wait_within_a_frame, kRestDropped, "600hz");
    EXPECT_GT(report.frames, 9 * kLoopTicks);
}

TEST_F(PlaybackLoops, CountsAgainstEveryLoopWhoseTicksCanBeCounted) {
    const PlaybackReport report = play(
        [](ClockedGame& game) {
            while (game.wait() && game.tick()) {
            }
        },
        core::parse_loop("fixed").value(), "144hz");
    EXPECT_EQ(report.verdict, PlaybackVerdict::identical) << describe(report);
    for (const char* text : {"variable", "reversible", "growing"}) {
        const auto refused = Playback::open(path(), {.loop = core::parse_loop(text).value()});
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().code, core::ErrorCode::usage);
        EXPECT_THAT(refused.error().message, HasSubstr(std::string("the loop ") + text));
    }
}

}  // namespace
}  // namespace isotick::replay
