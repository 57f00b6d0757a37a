#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/replay/detail/new_file.hpp>

#include <limits>

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <csignal>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>
#endif

namespace isotick::replay {
namespace {

using core::ErrorCode;

class RecordingWriter : public Scratch {};

FakeSession busy_writer_session(std::uint64_t ticks) {
    FakeSession session;
    session.head.session.players = 2;
    session.input = mixed_input;
    session.ticks = ticks;
    session.set_parts(3);
    return session;
}

TEST_F(RecordingWriter, SameSessionGivesSameBytes) {
    ASSERT_TRUE(busy_writer_session(300).record(path("a")));
    ASSERT_TRUE(busy_writer_session(300).record(path("b")));
    EXPECT_EQ(read_bytes(path("a")), read_bytes(path("b")));
}

TEST_F(RecordingWriter, RefusesAPathThatExistsAndLeavesItAlone) {
    write_bytes(path(), {std::byte{1}, std::byte{2}});
    const auto recorded = busy_writer_session(10).record(path());
    ASSERT_FALSE(recorded);
    EXPECT_EQ(recorded.error().code, ErrorCode::usage);
    EXPECT_EQ(recorded.error().file, path());
    EXPECT_EQ(read_bytes(path()).size(), 2U);
}

TEST_F(RecordingWriter, OverwriteReplacesOnlyWhenFinished) {
    const FakeSession session = busy_writer_session(100);
    write_bytes(path(), {std::byte{1}});
    auto writer = session.create(path(), {.overwrite = true});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(session.append(*writer, 100));
    EXPECT_EQ(read_bytes(path()).size(), 1U);
    ASSERT_TRUE(session.finish(*writer));
    EXPECT_EQ(read_through(path(), session).ticks, 100U);
    EXPECT_EQ(names(), (std::vector<std::string>{"s.isotick"}));
}

TEST_F(RecordingWriter, OverwriteUnfinishedLeavesWhatItWroteBesideTheOldFile) {
    const FakeSession session = busy_writer_session(100);
    write_bytes(path(), {std::byte{1}});
    for (const char* const name : {"s.isotick.unfinished", "s.isotick.unfinished1"}) {
        {
            auto writer = session.create(path(), {.overwrite = true});
            ASSERT_TRUE(writer);
            ASSERT_TRUE(session.append(*writer, 100));
            EXPECT_EQ(writer->written_through(), 64U);
        }
        EXPECT_EQ(read_bytes(path()).size(), 1U);
        EXPECT_EQ(read_through(path(name), session).ticks, 64U);
    }
    EXPECT_EQ(unfinished_beside(path()).size(), 2U);
    EXPECT_EQ(names().size(), 3U);
}

TEST_F(RecordingWriter, OverwriteLeavesNothingBesideBeforeTheFirstChunk) {
    const FakeSession session = busy_writer_session(100);
    write_bytes(path(), {std::byte{1}});
    {
        auto writer = session.create(path(), {.overwrite = true});
        ASSERT_TRUE(session.append(*writer, 63));
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"s.isotick"}));
}

TEST_F(RecordingWriter, CompleteAppearsOnlyWhenFinished) {
    const FakeSession session = busy_writer_session(100);
    auto writer = session.create(path(), {.appearance = Appearance::complete});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(session.append(*writer, 100));
    EXPECT_FALSE(std::filesystem::exists(path()));
    ASSERT_TRUE(session.finish(*writer));
    EXPECT_EQ(read_through(path(), session).ticks, 100U);
    EXPECT_EQ(names(), (std::vector<std::string>{"s.isotick"}));
}

TEST_F(RecordingWriter, FilledInReplacesTheContentOfTheFileThatIsThere) {
    write_bytes(path(), std::vector<std::byte>(100'000));
    ASSERT_TRUE(busy_writer_session(100).record(path(), {.appearance = Appearance::filled_in}));
    ASSERT_TRUE(busy_writer_session(100).record(path("usual")));
    EXPECT_EQ(read_bytes(path()), read_bytes(path("usual")));
    EXPECT_FALSE(
        busy_writer_session(100).record(path("none"), {.appearance = Appearance::filled_in}));
    EXPECT_FALSE(std::filesystem::exists(path("none")));
}

TEST_F(RecordingWriter, OverwriteOfNothingIsAnOrdinaryRecording) {
    ASSERT_TRUE(busy_writer_session(100).record(path(), {.overwrite = true, .durable = true}));
    EXPECT_EQ(read_through(path(), busy_writer_session(100)).ticks, 100U);
}

TEST_F(RecordingWriter, DurableRecordsTheSameBytes) {
    ASSERT_TRUE(busy_writer_session(100).record(path("a")));
    ASSERT_TRUE(busy_writer_session(100).record(path("b"), {.durable = true}));
    EXPECT_EQ(read_bytes(path("a")), read_bytes(path("b")));
}

TEST_F(RecordingWriter, UnfinishedLeavesAllFullChunks) {
    const FakeSession session = busy_writer_session(200);
    {
        auto writer = session.create(path());
        ASSERT_TRUE(session.append(*writer, 64));
        EXPECT_EQ(writer->written_through(), 64U);
        ASSERT_TRUE(session.append(*writer, 200));
        EXPECT_EQ(writer->written_through(), 192U);
        EXPECT_EQ(writer->ticks(), 200U);
    }
    const ReadThrough read = read_through(path(), session);
    EXPECT_EQ(read.ticks, 192U);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_FALSE(read.damage);
    EXPECT_FALSE(read.tail_damage);
    EXPECT_FALSE(read.has_tail);
    EXPECT_FALSE(read.saw_last);
}

TEST_F(RecordingWriter, FinishWritesThroughToTheEnd) {
    const FakeSession session = busy_writer_session(70);
    auto writer = session.create(path());
    ASSERT_TRUE(session.append(*writer, 70));
    ASSERT_TRUE(session.finish(*writer));
    EXPECT_EQ(writer->written_through(), 70U);
    EXPECT_FALSE(session.append(*writer, 71));
}

TEST_F(RecordingWriter, DigestsAreThoseInTheFile) {
    FakeSession session = busy_writer_session(190);
    session.head.hash_every = 60;
    auto writer = session.create(path());
    ASSERT_TRUE(session.append(*writer, 190));
    ASSERT_TRUE(session.finish(*writer));
    auto reader = Reader::open(path());
    const TickChunk& last = **reader->chunk(2);
    EXPECT_EQ(last.session_digest(), writer->session_digest());
    EXPECT_EQ(last.hash_digest(), writer->hash_digest());
}

TEST_F(RecordingWriter, DigestsOfAnOpenChunkAreThoseOfItsTicks) {
    const FakeSession session = busy_writer_session(100);
    auto writer = session.create(path("asked"));
    auto other = session.create(path("not asked"));
    ASSERT_TRUE(session.append(*other, 90));
    for (const std::uint64_t ticks : {0U, 1U, 40U, 63U, 64U, 90U}) {
        ASSERT_TRUE(session.append(*writer, ticks));
        (void)writer->session_digest();
    }
    EXPECT_EQ(writer->session_digest(), other->session_digest());
    EXPECT_EQ(writer->hash_digest(), other->hash_digest());
    ASSERT_TRUE(session.append(*writer, 100) && session.finish(*writer));
    ASSERT_TRUE(session.append(*other, 100) && session.finish(*other));
    EXPECT_EQ(read_bytes(path("asked")), read_bytes(path("not asked")));
}

TEST_F(RecordingWriter, SessionDigestDependsOnSessionAndInputsOnly) {
    FakeSession session = busy_writer_session(100);
    FakeSession other = session;
    other.head.hash_every = 7;
    other.part_hash = [](std::uint64_t, std::uint32_t) { return 5; };
    ASSERT_TRUE(other.head.notes.set("build", "x"));
    auto writer = session.create(path("a"));
    auto other_writer = other.create(path("b"));
    ASSERT_TRUE(session.append(*writer, 90));
    ASSERT_TRUE(other.append(*other_writer, 90));
    EXPECT_EQ(writer->session_digest(), other_writer->session_digest());
    EXPECT_NE(writer->hash_digest(), other_writer->hash_digest());
}

TEST_F(RecordingWriter, RefusesMissingHashes) {
    const FakeSession session;
    auto writer = session.create(path());
    const isotick_input world{ISOTICK_WORLD, 0, 0, nullptr};
    const auto appended = writer->append({&world, 1}, nullptr);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ErrorCode::usage);
    EXPECT_EQ(appended.error().tick, 0U);
}

TEST_F(RecordingWriter, RefusesInputsOfTheWrongNumberOrdersOrSize) {
    const std::uint8_t byte = 0;
    const std::vector<std::vector<isotick_input>> wrong = {
        {},
        {{0, 0, 0, nullptr}},
        {{ISOTICK_WORLD, 0, 0, nullptr}, {0, 0, 0, nullptr}},
        {{0, 0, 1, &byte}, {ISOTICK_WORLD, 0, 0, nullptr}},
        {{0, 1, 1, nullptr}, {ISOTICK_WORLD, 0, 0, nullptr}},
        {{0, 1, ISOTICK_LONGEST_INPUT + 1, &byte}, {ISOTICK_WORLD, 0, 0, nullptr}},
    };
    FakeSession session;
    session.head.session.players = 1;
    const TickHashes hashes{session.state_after(1), {}};
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        auto writer = session.create(path(std::to_string(i)));
        ASSERT_TRUE(writer);
        EXPECT_FALSE(writer->append(wrong[i], &hashes)) << i;
    }
}

TEST_F(RecordingWriter, RefusesAFinalHashThatContradictsTheLast) {
    const FakeSession session;
    auto writer = session.create(path());
    ASSERT_TRUE(session.append(*writer, 10));
    const auto finished = writer->finish({core::StateHash{1}, {}});
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, ErrorCode::usage);
}

TEST_F(RecordingWriter, RefusesMoreInputThanAChunkHolds) {
    FakeSession session;
    session.head.session.players = 32;
    session.input = [](std::uint64_t tick, std::uint32_t) {
        return Input(std::vector<std::uint8_t>(ISOTICK_LONGEST_INPUT, tick % 2 == 0 ? 1 : 2));
    };
    auto writer = session.create(path());
    const auto appended = session.append(*writer, 64);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ErrorCode::limit);
    EXPECT_EQ(session.append(*writer, 64).error().message, appended.error().message);
}

TEST_F(RecordingWriter, RefusesHeadsBeyondTheLimits) {
    FakeSession too_many_players;
    too_many_players.head.session.players = kMostPlayers + 1;
    FakeSession nameless;
    nameless.head.session.simulation.clear();
    FakeSession no_stride;
    no_stride.head.hash_every = 0;
    FakeSession too_many_parts;
    too_many_parts.set_parts(ISOTICK_MOST_PARTS + 1);
    FakeSession twin_parts;
    twin_parts.head.part_names = {"a", "a"};
    FakeSession long_note;
    ASSERT_TRUE(long_note.head.notes.set("a", std::string(kLongestHead, 'x')));
    for (const FakeSession& session :
         {too_many_players, nameless, no_stride, too_many_parts, twin_parts, long_note}) {
        EXPECT_FALSE(session.create(path()));
        EXPECT_TRUE(names().empty());
    }
}

#if !defined(_WIN32)

TEST_F(RecordingWriter, FullDiskIsAnErrorAtOnce) {
    const auto recorded = busy_writer_session(100).record("/dev/full", {.overwrite = true});
    ASSERT_FALSE(recorded);
    EXPECT_EQ(recorded.error().code, ErrorCode::io);
    EXPECT_EQ(recorded.error().file, "/dev/full");
}

// In a child, since the limit is the process's: exits 0 if the failure came as it should.
int record_within(std::uint64_t most_bytes, const std::string& path, bool overwrite) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{most_bytes, most_bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto recorded = busy_writer_session(1000).record(path, {.overwrite = overwrite});
        _exit(!recorded && recorded.error().code == ErrorCode::io ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST_F(RecordingWriter, ShortWriteIsAnErrorAndLeavesAValidPrefix) {
    ASSERT_EQ(record_within(5000, path(), false), 0);
    const ReadThrough read = read_through(path(), busy_writer_session(1000));
    EXPECT_EQ(read.mismatch, "");
    EXPECT_GT(read.ticks, 0U);
    EXPECT_LT(read.ticks, 1000U);
    EXPECT_EQ(read.ticks % 64, 0U);
    EXPECT_FALSE(read.damage) << read.damage->reason;
}

TEST_F(RecordingWriter, ShortWriteOfTheHeadLeavesNothing) {
    ASSERT_EQ(record_within(50, path(), false), 0);
    EXPECT_TRUE(names().empty());
}

TEST_F(RecordingWriter, ShortWriteWhileOverwritingKeepsTheOldFile) {
    write_bytes(path(), {std::byte{1}});
    ASSERT_EQ(record_within(5000, path(), true), 0);
    EXPECT_EQ(read_bytes(path()).size(), 1U);
    EXPECT_EQ(names(), (std::vector<std::string>{"s.isotick", "s.isotick.unfinished"}));
    EXPECT_FALSE(read_through(path("s.isotick.unfinished"), busy_writer_session(1000)).damage);
}

TEST_F(RecordingWriter, KilledProcessLosesTheOpenChunkOnly) {
    const FakeSession session = busy_writer_session(500);
    const pid_t child = fork();
    if (child == 0) {
        auto writer = session.create(path());
        const bool appended = writer && session.append(*writer, 500);
        raise(appended ? SIGKILL : SIGABRT);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const ReadThrough read = read_through(path(), session);
    EXPECT_EQ(read.ticks, 448U);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_FALSE(read.damage);
}

#endif

TEST_F(RecordingWriter, LeftUnfinishedItIsWhatAKilledOneLeaves) {
    const FakeSession session = busy_writer_session(90);
    {
        auto killed = session.create(path("killed")).value();
        ASSERT_TRUE(session.append(killed, 90));
    }
    for (const bool overwrite : {false, true}) {
        auto writer = session.create(path("left"), {.overwrite = overwrite}).value();
        ASSERT_TRUE(session.append(writer, 90));
        ASSERT_TRUE(writer.leave_unfinished());
        EXPECT_FALSE(writer.leave_unfinished());
        EXPECT_EQ(read_bytes(path("left")), read_bytes(path("killed")));
        EXPECT_EQ(names(), (std::vector<std::string>{"killed", "left"}));
    }
}

}  // namespace
}  // namespace isotick::replay
