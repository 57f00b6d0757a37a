#include "fake_session.hpp"
#include "recorded.hpp"
#include "scratch.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Tick;
using ::testing::HasSubstr;

FakeSession busy_session(std::uint64_t ticks) {
    FakeSession session;
    session.head.session.players = 2;
    session.input = mixed_input;
    session.ticks = ticks;
    session.set_parts(3);
    return session;
}

constexpr RecorderOptions kPatient{.patience_ms = 60'000};

class RecorderTest : public Scratch {
  protected:
    // The file of the whole session, as a Writer makes it.
    std::vector<std::byte> as_written() {
        EXPECT_TRUE(session_.record(path("written")));
        return read_bytes(path("written"));
    }

    FakeSession session_ = busy_session(200);
    LiveGame game_{session_};
};

TEST_F(RecorderTest, MakesTheFileThatAWriterMakes) {
    auto recorder = game_.start(path(), kPatient);
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
        ASSERT_TRUE(game_.play(*recorder, tick)) << tick;
    }
    ASSERT_TRUE(game_.finish(*recorder, session_.ticks));
    EXPECT_EQ(recorder->confirmed(), session_.ticks);
    EXPECT_EQ(recorder->written_through(), session_.ticks);
    EXPECT_EQ(read_bytes(path()), as_written());
}

TEST_F(RecorderTest, TakesAnyNumberButZeroForPresent) {
    auto recorder = game_.start(path(), kPatient);
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
        auto& inputs = game_.prepare(tick);
        for (isotick_input& input : inputs) {
            input.present *= 1 + static_cast<std::uint32_t>(tick % 3);
        }
        const TickHashes hashes = game_.hashes();
        ASSERT_TRUE(recorder->record(Tick{tick}, inputs, &hashes)) << tick;
    }
    ASSERT_TRUE(game_.finish(*recorder, session_.ticks));
    EXPECT_EQ(read_bytes(path()), as_written());
}

TEST_F(RecorderTest, AsksForHashesOnlyWhereTheyAreDue) {
    session_.head.hash_every = 7;
    session_.head.parts_every = 1000;
    auto recorder = game_.start(path(), kPatient);
    ASSERT_TRUE(recorder);
    int asked = 0;
    for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
        const auto& inputs = game_.prepare(tick);
        ASSERT_TRUE(recorder->record(Tick{tick}, inputs, [&] {
            ++asked;
            return game_.hashes();
        }));
    }
    ASSERT_TRUE(game_.finish(*recorder, session_.ticks));
    EXPECT_EQ(asked, 200 / 7);
    EXPECT_EQ(read_bytes(path()), as_written());
}

TEST_F(RecorderTest, KeepsOfTicksThatWereRolledBackTheLastOnly) {
    auto recorder = game_.start(path(), {.patience_ms = 60'000, .most_unconfirmed = 10});
    ASSERT_TRUE(recorder);
    FakeSession guessed = session_;
    guessed.input = [](std::uint64_t tick, std::uint32_t) {
        return Input(std::vector<std::uint8_t>(tick % 5, 9));
    };
    LiveGame guess(guessed);
    for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
        // Guessed when played, known seven ticks later, when all since are played again.
        ASSERT_TRUE(guess.play(*recorder, tick)) << tick;
        if (tick % 8 == 7 || tick + 1 == session_.ticks) {
            for (std::uint64_t again = tick - 7; again <= tick; ++again) {
                ASSERT_TRUE(game_.play(*recorder, again)) << again;
            }
            ASSERT_TRUE(recorder->confirm(Tick{tick}));
        }
    }
    ASSERT_TRUE(game_.finish(*recorder, session_.ticks));
    EXPECT_EQ(read_bytes(path()), as_written());
}

TEST_F(RecorderTest, AReplacedTickDropsWhatCameAfterIt) {
    auto recorder = game_.start(path(), {.patience_ms = 60'000, .most_unconfirmed = 10});
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < 6; ++tick) {
        ASSERT_TRUE(game_.play(*recorder, tick));
    }
    ASSERT_TRUE(game_.play(*recorder, 2));
    const auto confirmed = recorder->confirm(Tick{3});
    ASSERT_FALSE(confirmed);
    EXPECT_EQ(confirmed.error().tick, 3U);
    EXPECT_THAT(confirmed.error().message, HasSubstr("was not recorded"));
}

TEST_F(RecorderTest, LeavesOutWhatWasNotConfirmed) {
    auto recorder = game_.start(path(), {.patience_ms = 60'000, .most_unconfirmed = 10});
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < 9; ++tick) {
        ASSERT_TRUE(game_.play(*recorder, tick));
    }
    ASSERT_TRUE(recorder->confirm(Tick{4}));
    EXPECT_TRUE(recorder->confirm(Tick{2}));  // known already
    EXPECT_EQ(recorder->confirmed(), 5U);
    ASSERT_TRUE(game_.finish(*recorder, 5));
    const ReadThrough read = read_through(path(), session_);
    EXPECT_EQ(read.ticks, 5U);
    EXPECT_EQ(read.mismatch, "");
}

TEST_F(RecorderTest, WithoutFinishLeavesTheFullChunks) {
    {
        auto recorder = game_.start(path(), {.patience_ms = 60'000});
        ASSERT_TRUE(recorder);
        for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
            ASSERT_TRUE(game_.play(*recorder, tick));
        }
    }
    const ReadThrough read = read_through(path(), session_);
    EXPECT_EQ(read.ticks, 192U);  // three chunks of 64
    EXPECT_EQ(read.mismatch, "");
    EXPECT_FALSE(read.has_tail);
}

// A mistake, and what is said of it.
struct Mistake {
    const char* name;
    core::Result<void> (*make)(Recorder& recorder, LiveGame& game);
    const char* says;
    ErrorCode code = ErrorCode::usage;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
    *out << mistake.name;
}

class RecorderMistake : public Scratch, public ::testing::WithParamInterface<Mistake> {};

TEST_P(RecorderMistake, IsNamedOnceAndLeavesAValidFile) {
    const FakeSession session = busy_session(200);
    LiveGame game(session);
    auto recorder = game.start(path(), {.patience_ms = 60'000, .most_unconfirmed = 80});
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < 70; ++tick) {
        ASSERT_TRUE(game.play(*recorder, tick));
    }
    ASSERT_TRUE(recorder->confirm(Tick{66}));
    const auto made = GetParam().make(*recorder, game);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, GetParam().code);
    EXPECT_THAT(made.error().message, HasSubstr(GetParam().says));
    EXPECT_TRUE(GetParam().make(*recorder, game));  // told once
    EXPECT_TRUE(game.play(*recorder, 70));
    ASSERT_TRUE(recorder->failure());
    EXPECT_EQ(recorder->failure()->message, made.error().message);
    const auto finished = game.finish(*recorder, 67);
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().message, made.error().message);
    recorder = tl::unexpected(core::Error{});  // gone
    const ReadThrough read = read_through(path(), session);
    EXPECT_EQ(read.ticks, 64U);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_FALSE(read.damage);
}

// Records tick 70 with its inputs or hashes changed.
template <class Change>
core::Result<void> changed(Recorder& recorder, LiveGame& game, const Change& change) {
    std::vector<isotick_input> inputs = game.prepare(70);
    TickHashes hashes = game.hashes();
    change(inputs, hashes);
    return recorder.record(Tick{70}, inputs, &hashes);
}

const std::vector<std::uint8_t> kTooLong(65'537);

INSTANTIATE_TEST_SUITE_P(
    Each, RecorderMistake,
    ::testing::Values(
        Mistake{"skipped", [](Recorder& r, LiveGame& g) { return g.play(r, 71); },
                "out of order: the next tick is 70"},
        Mistake{"confirmed", [](Recorder& r, LiveGame& g) { return g.play(r, 66); },
                "is confirmed already, as are all up to 66"},
        Mistake{"future", [](Recorder& r, LiveGame&) { return r.confirm(Tick{70}); },
                "was not recorded"},
        Mistake{"no_hash",
                [](Recorder& r, LiveGame& g) { return r.record(Tick{70}, g.prepare(70), nullptr); },
                "the hash is due"},
        Mistake{"player",
                [](Recorder& r, LiveGame& g) {
                    return changed(r, g, [](auto& inputs, auto&) { inputs[1].player = 5; });
                },
                "input 1 is malformed"},
        Mistake{"absent_with_size",
                [](Recorder& r, LiveGame& g) {
                    return changed(r, g, [](auto& inputs, auto&) {
                        inputs[0] = {0, 0, 3, kTooLong.data()};
                    });
                },
                "input 0 is malformed"},
        Mistake{"missing_input",
                [](Recorder& r, LiveGame& g) {
                    return changed(r, g, [](auto& inputs, auto&) { inputs.pop_back(); });
                },
                "2 inputs given, 3 needed"},
        Mistake{"too_long",
                [](Recorder& r, LiveGame& g) {
                    return changed(r, g, [](auto& inputs, auto&) {
                        inputs[0] = {0, 1, kTooLong.size(), kTooLong.data()};
                    });
                },
                "more than 65536", ErrorCode::limit}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(RecorderTest, TooManyUnconfirmedTicksEndTheRecording) {
    auto recorder = game_.start(path(), {.most_unconfirmed = 5});
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < 5; ++tick) {
        ASSERT_TRUE(game_.play(*recorder, tick));
    }
    const auto recorded = game_.play(*recorder, 5);
    ASSERT_FALSE(recorded);
    EXPECT_EQ(recorded.error().code, ErrorCode::limit);
    EXPECT_THAT(recorded.error().message, HasSubstr("5 ticks are unconfirmed"));
}

TEST_F(RecorderTest, InputsBeyondWhatAChunkHoldsEndTheRecording) {
    FakeSession session;
    session.head.session.players = 100;
    session.set_rate(1000);  // 1024 ticks a chunk
    session.input = [](std::uint64_t tick, std::uint32_t) {
        return Input(std::vector<std::uint8_t>(60'000, static_cast<std::uint8_t>(tick)));
    };
    LiveGame game(session);
    auto recorder = game.start(path());
    ASSERT_TRUE(recorder);
    core::Result<void> recorded;
    std::uint64_t tick = 0;
    for (; recorded && tick < 50; ++tick) {
        recorded = game.play(*recorder, tick);
    }
    ASSERT_FALSE(recorded);
    EXPECT_EQ(recorded.error().code, ErrorCode::limit);
    EXPECT_LT(tick, 12U);  // 64 MiB of 6 MB a tick
}

TEST_F(RecorderTest, MayBeFinishedOnce) {
    auto recorder = game_.start(path(), kPatient);
    ASSERT_TRUE(recorder);
    ASSERT_TRUE(game_.play(*recorder, 0));
    ASSERT_TRUE(game_.finish(*recorder, 1));
    EXPECT_THAT(game_.finish(*recorder, 1).error().message, HasSubstr("is finished"));
    EXPECT_TRUE(game_.play(*recorder, 1));  // ignored
    EXPECT_EQ(read_through(path(), session_).ticks, 1U);
}

TEST_F(RecorderTest, WrongFinalHashesAreAnError) {
    auto recorder = game_.start(path(), kPatient);
    ASSERT_TRUE(recorder);
    ASSERT_TRUE(game_.play(*recorder, 0));
    const auto finished = recorder->finish({core::StateHash{1}, {}});
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, ErrorCode::usage);
}

TEST_F(RecorderTest, OptionsThatMakeNoSenseAreRefusedBeforeAnyFile) {
    EXPECT_EQ(game_.start(path(), {.most_queued = 0}).error().code, ErrorCode::usage);
    EXPECT_EQ(game_.start(path(), {.most_unconfirmed = 65'537}).error().code, ErrorCode::usage);
    EXPECT_TRUE(names().empty());
}

TEST_F(RecorderTest, AnExistingPathIsRefused) {
    write_bytes(path(), {std::byte{7}});
    EXPECT_EQ(game_.start(path()).error().code, ErrorCode::usage);
    EXPECT_EQ(read_bytes(path()).size(), 1U);
}

}  // namespace
}  // namespace isotick::replay
