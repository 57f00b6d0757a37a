// Ticks with a dt of their own, on all the ways that ticks take.

#include "recorded.hpp"
#include "sample_game.hpp"
#include "scratch.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::TickDt;
using ::testing::HasSubstr;

TickDt own_dt(std::uint64_t numerator, std::uint64_t denominator) {
    return TickDt::make(numerator, denominator).value();
}

// As a loop measures them: never the same twice.
std::optional<TickDt> measured_dt(std::uint64_t tick) {
    return TickDt::of({16'166'667 + static_cast<std::int64_t>(mix(tick, 8) % 1'000'000)});
}

class OwnDts : public Scratch {
  protected:
    OwnDts() {
        session_.ticks = 300;
        session_.head.session.players = 1;
        session_.input = mixed_input;
    }

    ReadThrough recorded_and_read() {
        EXPECT_TRUE(session_.record(path(), {.overwrite = true}));
        return read_through(path(), session_);
    }

    [[nodiscard]] std::uintmax_t recorded_size() {
        EXPECT_TRUE(session_.record(path(), {.overwrite = true}));
        return std::filesystem::file_size(path());
    }

    [[nodiscard]] std::vector<std::byte> recorded_bytes() {
        EXPECT_TRUE(session_.record(path(), {.overwrite = true}));
        return read_bytes(path());
    }

    core::Digest digest_of(const FakeSession& session) {
        auto writer = session.create(path("digest"), {.overwrite = true});
        EXPECT_TRUE(session.append(*writer, session.ticks));
        return writer->session_digest();
    }

    FakeSession session_;
};

TEST_F(OwnDts, ComeBackOneByOne) {
    session_.dt = measured_dt;
    const ReadThrough read = recorded_and_read();
    EXPECT_EQ(read.mismatch, "");
    EXPECT_EQ(read.ticks, 300U);
}

TEST_F(OwnDts, ComeBackFromZstd) {
    session_.dt = [](std::uint64_t tick) {
        return std::optional(own_dt(1, std::array{30U, 60U, 75U, 144U, 240U}[tick % 5]));
    };
    const ReadThrough read = recorded_and_read();
    EXPECT_EQ(read.mismatch, "");
    const Corruption file(read_bytes(path()));
    EXPECT_EQ(std::to_integer<unsigned>(file.bytes()[file.chunks()[0] + 24]) & 6U, 6U);
}

TEST_F(OwnDts, ThatAreTheConstantOneLeaveNoTrace) {
    const auto constant = recorded_bytes();
    session_.dt = [](std::uint64_t tick) {
        return std::optional(own_dt(tick + 1, 60 * (tick + 1)));
    };
    EXPECT_EQ(recorded_bytes(), constant);
}

TEST_F(OwnDts, TakeNoSpaceInChunksWithoutThem) {
    const auto without = recorded_size();
    session_.dt = [](std::uint64_t tick) {
        return tick == 100 ? std::optional(own_dt(1, 30)) : std::nullopt;
    };
    EXPECT_LE(recorded_size(), without + 10);
    auto reader = Reader::open(path());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->chunk(0).value()->own_dts(), 0U);
    EXPECT_EQ(reader->chunk(1).value()->own_dts(), 1U);
}

TEST_F(OwnDts, TakeAFewBytesATickWhereEachIsAnother) {
    const auto without = recorded_size();
    session_.dt = measured_dt;
    EXPECT_LE(recorded_size(), without + 4 * session_.ticks);
}

TEST_F(OwnDts, AreInTheSessionDigest) {
    const core::Digest without = digest_of(session_);
    session_.dt = [](std::uint64_t tick) {
        return tick == 299 ? std::optional(own_dt(1, 30)) : std::nullopt;
    };
    const core::Digest with_one = digest_of(session_);
    EXPECT_NE(with_one, without);
    session_.dt = [](std::uint64_t tick) {
        return tick == 298 ? std::optional(own_dt(1, 30)) : std::nullopt;
    };
    EXPECT_NE(digest_of(session_), with_one);
}

TEST_F(OwnDts, AreCountedBySurvey) {
    session_.dt = [](std::uint64_t tick) {
        return tick >= 50 && tick < 170 ? std::optional(own_dt(1, 30)) : std::nullopt;
    };
    ASSERT_TRUE(session_.record(path()));
    EXPECT_EQ(survey(path())->own_dts, 120U);
}

TEST_F(OwnDts, AreReadTickByTick) {
    session_.dt = mixed_dt;
    ASSERT_TRUE(session_.record(path()));
    auto reader = Reader::open(path());
    RecordedTicks ticks(*reader);
    while (*ticks.advance()) {
        ASSERT_EQ(ticks.dt(), mixed_dt(ticks.tick().value)) << ticks.tick().value;
    }
}

TEST_F(OwnDts, OfARecorderAreThoseOfAWriter) {
    session_.dt = mixed_dt;
    LiveGame game(session_);
    auto recorder = game.start(path("live"), {.patience_ms = 60'000});
    for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
        ASSERT_TRUE(game.play(*recorder, tick));
    }
    ASSERT_TRUE(game.finish(*recorder, session_.ticks));
    EXPECT_EQ(read_bytes(path("live")), recorded_bytes());
}

TEST_F(OwnDts, OfTicksThatWereRolledBackAreTheLast) {
    FakeSession guessed = session_;
    guessed.dt = measured_dt;
    session_.dt = mixed_dt;
    LiveGame game(session_);
    LiveGame guess(guessed);
    auto recorder = game.start(path("live"), {.patience_ms = 60'000, .most_unconfirmed = 4});
    for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
        ASSERT_TRUE(guess.play(*recorder, tick));
        ASSERT_TRUE(game.play(*recorder, tick));
        ASSERT_TRUE(recorder->confirm(core::Tick{tick}));
    }
    ASSERT_TRUE(game.finish(*recorder, session_.ticks));
    EXPECT_EQ(read_bytes(path("live")), recorded_bytes());
}

// Compared twice: by search, and read through since the copies have no tail.
class OwnDtsCompare : public OwnDts, public testing::WithParamInterface<bool> {
  protected:
    void record(const FakeSession& session, const std::string& name) {
        ASSERT_TRUE(session.record(path(name)));
        if (!GetParam()) {
            Corruption cut(read_bytes(path(name)));
            const auto chunks = cut.chunks();
            cut.truncate(chunks[chunks.size() - 2]).save(path(name));
        }
    }
};

TEST_P(OwnDtsCompare, FindsTheFirstDifferentDt) {
    session_.dt = mixed_dt;
    record(session_, "a");
    session_.dt = [](std::uint64_t tick) {
        return tick == 177 ? std::optional(own_dt(1, 7)) : mixed_dt(tick);
    };
    record(session_, "b");
    const auto found = compare(path("a"), path("b"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->searched, GetParam());
    ASSERT_TRUE(found->session);
    EXPECT_EQ(found->session->what, SessionDifference::What::dt);
    EXPECT_EQ(found->session->tick, core::Tick{177});
    EXPECT_EQ(found->session->text_a, to_string(mixed_dt(177).value_or(own_dt(1, 60))));
    EXPECT_EQ(found->session->text_b, "1/7");
    EXPECT_FALSE(found->hashes);
}

TEST_P(OwnDtsCompare, FindsEqualOnesIdentical) {
    session_.dt = mixed_dt;
    record(session_, "a");
    record(session_, "b");
    EXPECT_TRUE(compare(path("a"), path("b"))->identical());
}

INSTANTIATE_TEST_SUITE_P(Ways, OwnDtsCompare, testing::Bool(),
                         [](const auto& way) { return way.param ? "Search" : "ReadThrough"; });

// A game whose ticks last as long as its frames do, within bounds.
class OwnDtsPlayback : public OwnDts {
  protected:
    void SetUp() override {
        RecordingHead head;
        head.session.simulation = "ball";
        head.session.players = 1;
        SampleGame game;
        auto recorder = Recorder::create(path(), head, game.hashes(), {.patience_ms = 60'000});
        ASSERT_TRUE(recorder);
        for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
            const std::uint8_t push = static_cast<std::uint8_t>(mix(tick) % 4);
            const isotick_input inputs[] = {{0, 1, 1, &push}, {ISOTICK_WORLD, 0, 0, nullptr}};
            game.step(inputs, dt_at(tick).seconds());
            ASSERT_TRUE(recorder->record(
                core::Tick{tick}, inputs, [&] { return game.hashes(); }, dt_at(tick)));
        }
        ASSERT_TRUE(recorder->finish(game.hashes()));
    }

    static TickDt dt_at(std::uint64_t tick) {
        return tick % 3 == 0 ? own_dt(1, 60) : measured_dt(tick).value();
    }

    // One tick a frame, however long that is, by the dt that `by` makes of the recorded one.
    template <class By>
    PlaybackReport play(const By& by) {
        auto playback =
            Playback::open(path(), {.schedule = core::Schedule::parse("mix(seed=1)").value()});
        SampleGame game;
        core::Tick tick;
        return playback->run([&](core::FrameTime) {
            const auto inputs = playback->inputs(tick);
            if (!inputs) {
                return;
            }
            game.step(*inputs, by(tick, playback->dt(tick)));
            playback->check(tick, [&] { return game.hashes(); });
            ++tick.value;
        });
    }

    static constexpr std::uint64_t kTicks = 500;
};

TEST_F(OwnDtsPlayback, FindsAGameThatStepsByThemIdentical) {
    const PlaybackReport report = play([](core::Tick, TickDt dt) { return dt.seconds(); });
    EXPECT_EQ(report.verdict, PlaybackVerdict::identical) << describe(report);
    EXPECT_EQ(report.ticks, kTicks);
}

TEST_F(OwnDtsPlayback, CatchesAnotherDtAtItsTick) {
    const PlaybackReport report = play([](core::Tick tick, TickDt dt) {
        return tick.value == 123 ? SampleGame::kDt * 1.5 : dt.seconds();
    });
    EXPECT_EQ(report.verdict, PlaybackVerdict::diverged);
    ASSERT_TRUE(report.divergence);
    EXPECT_EQ(report.divergence->tick, core::Tick{123});
}

}  // namespace
}  // namespace isotick::replay
