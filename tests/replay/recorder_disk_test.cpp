// A Recorder whose disk is slow, full or gone, and what it costs the thread that plays.

#include "fake_session.hpp"
#include "recorded.hpp"
#include "scratch.hpp"
#include "watched_syncs.hpp"

#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <fcntl.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>
#endif

namespace isotick::replay {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;

FakeSession noisy_session() {
    FakeSession session;
    session.head.session.players = 4;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        std::vector<std::uint8_t> bytes(400);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::uint8_t>(mix(tick, column, i));
        }
        return Input(bytes);
    };
    return session;
}

class RecorderDisk : public Scratch {
  protected:
    // Plays on from `tick` until a call fails, which failure_ keeps; the tick of that call.
    std::uint64_t play_until_failure(Recorder& recorder, std::uint64_t tick = 0) {
        for (; tick < 10'000; ++tick) {
            failure_ = game_.play(recorder, tick);
            if (!failure_) {
                break;
            }
        }
        return tick;
    }

    FakeSession session_ = noisy_session();
    LiveGame game_{session_};
    core::Result<void> failure_;
};

#if !defined(_WIN32)

// A pipe that nobody empties: writing to it takes for ever.
class BlockedDisk : public RecorderDisk {
  protected:
    BlockedDisk() {
        std::signal(SIGPIPE, SIG_IGN);  // when the test is over and the pipe gone
        mkfifo(path("pipe").c_str(), 0600);
        reader_ = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
    }
    ~BlockedDisk() override { close(reader_); }

    int reader_;
};

TEST_F(BlockedDisk, DropsTheRecordingInsteadOfWaiting) {
    auto recorder = game_.start(path("pipe"), {.overwrite = true, .patience_ms = 0});
    ASSERT_TRUE(recorder) << describe(recorder.error());
    EXPECT_LT(play_until_failure(*recorder), 1000U);
    ASSERT_FALSE(failure_);
    EXPECT_EQ(failure_.error().code, ErrorCode::limit);
    EXPECT_THAT(failure_.error().message, HasSubstr("the disk is too slow: 4 full chunks"));
    EXPECT_TRUE(game_.play(*recorder, 10'000));
}

TEST_F(BlockedDisk, QueuesAsManyChunksAsItMay) {
    auto one = game_.start(path("pipe"), {.overwrite = true, .patience_ms = 0, .most_queued = 1});
    ASSERT_TRUE(one);
    const std::uint64_t with_one = play_until_failure(*one);
    mkfifo(path("other").c_str(), 0600);
    const int reader = open(path("other").c_str(), O_RDONLY | O_NONBLOCK);
    auto five = game_.start(path("other"), {.overwrite = true, .patience_ms = 0, .most_queued = 5});
    ASSERT_TRUE(five);
    EXPECT_GE(play_until_failure(*five), with_one + 4 * 64 - 64);
    close(reader);
}

TEST_F(BlockedDisk, FinishWaitsNoLongerThanItIsTold) {
    auto recorder =
        game_.start(path("pipe"), {.overwrite = true, .patience_ms = 0, .most_queued = 9});
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < 500; ++tick) {
        ASSERT_TRUE(game_.play(*recorder, tick)) << tick;
    }
    const auto parts = session_.parts_after(500);
    const auto finished = recorder->finish({session_.state_after(500), parts}, 0);
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, ErrorCode::limit);
}

TEST_F(BlockedDisk, AFileThatCannotBeOpenedInTimeIsGivenUp) {
    mkfifo(path("unread").c_str(), 0600);  // opening it waits for a reader
    const auto recorder = game_.start(path("unread"), {.overwrite = true, .patience_ms = 50});
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error().code, ErrorCode::limit);
    EXPECT_THAT(recorder.error().message, HasSubstr("the disk is too slow: there is no file"));
    EXPECT_EQ(recorder.error().file, path("unread"));
    close(open(path("unread").c_str(), O_RDONLY | O_NONBLOCK));
}

TEST_F(RecorderDisk, AFullOneIsAnErrorThatSurfacesOnce) {
    auto recorder = game_.start("/dev/full", {.overwrite = true, .patience_ms = 60'000});
    ASSERT_FALSE(recorder);  // the head does not fit either
    EXPECT_EQ(recorder.error().code, ErrorCode::io);
}

TEST_F(RecorderDisk, AFileSystemThatRefusesIsAnErrorBeforeTheFirstTick) {
    const auto recorder = game_.start("/proc/live.isotick");
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error().code, ErrorCode::io);
    EXPECT_EQ(recorder.error().file, "/proc/live.isotick");
}

// No file of this process may grow beyond `bytes` while it lives.
class FullDisk {
  public:
    explicit FullDisk(std::uint64_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit full{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &full);
    }
    ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

  private:
    rlimit before_{};
};

TEST_F(RecorderDisk, ADiskThatFillsUpLeavesAValidRecordingOfWhatFitted) {
    constexpr std::uint64_t kRoom = 1'000'000;
    auto recorder = game_.start(path(), {.patience_ms = 60'000});
    ASSERT_TRUE(recorder);
    {
        const FullDisk full(kRoom);
        play_until_failure(*recorder);
        ASSERT_FALSE(failure_);
    }
    EXPECT_EQ(failure_.error().code, ErrorCode::io);
    EXPECT_THAT(failure_.error().message, HasSubstr("cannot be written"));
    const std::uint64_t through = recorder->written_through();
    EXPECT_GT(through, 64U);
    const ReadThrough read = read_through(path(), session_);
    EXPECT_EQ(read.ticks, through);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_FALSE(read.damage);
}

TEST_F(RecorderDisk, AFileThatIsDeletedEndsTheRecording) {
    auto recorder = game_.start(path(), {.patience_ms = 60'000});
    ASSERT_TRUE(recorder);
    for (std::uint64_t tick = 0; tick < 70; ++tick) {
        ASSERT_TRUE(game_.play(*recorder, tick));
    }
    std::filesystem::remove(path());
    play_until_failure(*recorder, 70);
    ASSERT_FALSE(failure_);
    EXPECT_EQ(failure_.error().code, ErrorCode::io);
    EXPECT_THAT(failure_.error().message, HasSubstr("was deleted or replaced"));
    EXPECT_EQ(failure_.error().file, path());
}

TEST_F(RecorderDisk, OfTwoRecordersOnOneFileTheSecondIsRefused) {
    auto first = game_.start(path(), {.patience_ms = 60'000});
    ASSERT_TRUE(first);
    for (const bool overwrite : {false, true}) {
        const auto second = game_.start(path(), {.overwrite = overwrite});
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().code, ErrorCode::usage);
        EXPECT_THAT(second.error().message,
                    HasSubstr(overwrite ? "is being written at this moment" : "exists already"));
    }
    EXPECT_TRUE(game_.play(*first, 0));
    EXPECT_TRUE(game_.finish(*first, 1));
    EXPECT_EQ(read_through(path(), session_).ticks, 1U);
    EXPECT_TRUE(game_.start(path(), {.overwrite = true}));
}

#if defined(__linux__)

class RecorderSyncs : public RecorderDisk {
  protected:
    // How often recording four chunks waits for the disk.
    std::uint64_t syncs_of_four_chunks(const RecorderOptions& options) {
        const std::uint64_t before = syncs_so_far();
        auto recorder = game_.start(path(), options);
        for (std::uint64_t tick = 0; tick < 4 * 64; ++tick) {
            EXPECT_TRUE(game_.play(*recorder, tick)) << tick;
        }
        EXPECT_TRUE(game_.finish(*recorder, 4 * 64));
        return syncs_so_far() - before;
    }
};

TEST_F(RecorderSyncs, FollowTheHeadEachChunkAndTheEnd) {
    EXPECT_EQ(syncs_of_four_chunks({.patience_ms = 60'000}), 6U);
}

TEST_F(RecorderSyncs, AreLeftOutOnRequest) {
    EXPECT_EQ(syncs_of_four_chunks({.durable = false, .patience_ms = 60'000}), 0U);
}

TEST_F(RecorderSyncs, AreMadeAgainWhereASignalInterruptsThem) {
    interrupt_syncs(3);
    EXPECT_EQ(syncs_of_four_chunks({.patience_ms = 60'000}), 6U + 3U);
}

TEST_F(RecorderSyncs, DoNotKeepTheGameFromStarting) {
    std::optional<StuckDisk> stuck(std::in_place);
    auto recorder = game_.start(path(), {.patience_ms = 0});
    ASSERT_TRUE(recorder) << describe(recorder.error());
    EXPECT_EQ(recorder->written_through(), 0U);
    stuck.reset();
    ASSERT_TRUE(game_.play(*recorder, 0));
    EXPECT_TRUE(game_.finish(*recorder, 1));
}

TEST_F(RecorderSyncs, DoNotKeepTheGame) {
    auto recorder = game_.start(path(), {.patience_ms = 0});
    ASSERT_TRUE(recorder);
    {
        const StuckDisk stuck;
        for (std::uint64_t tick = 0; tick < 4 * 64; ++tick) {
            ASSERT_TRUE(game_.play(*recorder, tick)) << tick;
        }
        EXPECT_EQ(recorder->written_through(), 0U);
    }
    EXPECT_TRUE(game_.finish(*recorder, 4 * 64));
    EXPECT_EQ(read_through(path(), session_).ticks, 4U * 64);
}

#endif

// The disk fails some chunks on: the reading end of the pipe is closed.
TEST_F(BlockedDisk, AFailureOfTheThreadReachesTheGame) {
    auto recorder = game_.start(path("pipe"), {.overwrite = true, .patience_ms = 60'000});
    ASSERT_TRUE(recorder);
    close(reader_);
    reader_ = -1;
    play_until_failure(*recorder);
    ASSERT_FALSE(failure_);
    EXPECT_EQ(failure_.error().code, ErrorCode::io);
    EXPECT_THAT(failure_.error().file, HasSubstr("pipe"));
    EXPECT_FALSE(game_.finish(*recorder, 1));
}

#endif

}  // namespace
}  // namespace isotick::replay
