#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/replay/detail/recording_head.hpp>

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::ErrorCode;

FakeSession read_session(std::uint64_t ticks) {
    FakeSession session;
    session.head.session.players = 1;
    session.input = mixed_input;
    session.ticks = ticks;
    return session;
}

class RecordingReader : public Scratch {
  protected:
    // Of a recording whose second chunk has flags set that it did not have.
    ReadThrough read_with_flag(unsigned flags) {
        const FakeSession session = read_session(200);
        EXPECT_TRUE(session.record(path(), {.overwrite = true}));
        Corruption changed(read_bytes(path()));
        const std::size_t at = changed.chunks()[1];
        flags |= std::to_integer<unsigned>(changed.bytes()[at + 24]);
        changed.set_byte(at + 24, static_cast<std::uint8_t>(flags)).fix_chunk_checksums(at);
        changed.save(path());
        return read_through(path(), session);
    }
};

ErrorCode open_error(const std::string& path) {
    const auto reader = Reader::open(path);
    EXPECT_FALSE(reader);
    EXPECT_EQ(reader.error().file, path);
    EXPECT_FALSE(reader.error().message.empty());
    return reader.error().code;
}

TEST_F(RecordingReader, MissingFileIsAnIoError) {
    EXPECT_EQ(open_error(path("missing")), ErrorCode::io);
}

TEST_F(RecordingReader, DirectoryIsAnIoError) {
    EXPECT_EQ(open_error(path("")), ErrorCode::io);
}

TEST_F(RecordingReader, PathsAreUtf8OnEverySystem) {
    const std::string name = path("") + "Aufnahme \xc3\xa4\xe6\x97\xa5.isotick";
    ASSERT_TRUE(read_session(20).record(name));
    EXPECT_TRUE(Reader::open(name));
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(path()).replace_filename(
        std::filesystem::path(u8"Aufnahme \u00e4\u65e5.isotick"))));
    EXPECT_EQ(open_error(name + "2"), ErrorCode::io);
}

TEST_F(RecordingReader, OtherFilesAreNoRecordings) {
    std::ofstream(path()) << "#!/bin/sh\necho this is not a recording, but it is long enough\n";
    EXPECT_EQ(open_error(path()), ErrorCode::damaged);
}

TEST_F(RecordingReader, TextModeTransferIsNoticed) {
    ASSERT_TRUE(read_session(10).record(path()));
    Corruption(read_bytes(path())).erase(4, 1).save(path());  // CR LF became LF
    EXPECT_EQ(open_error(path()), ErrorCode::damaged);
}

TEST_F(RecordingReader, NewerVersionIsRefusedWithItsNumber) {
    ASSERT_TRUE(read_session(10).record(path()));
    Corruption(read_bytes(path())).set_byte(8, 3).set_byte(10, 2).fix_head_checksum().save(path());
    const auto reader = Reader::open(path());
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::version);
    EXPECT_NE(reader.error().message.find("version 3"), std::string::npos);
    EXPECT_NE(reader.error().message.find("version 2"), std::string::npos);
}

TEST_F(RecordingReader, NewerVersionThatOldReadersMayReadIsRead) {
    const FakeSession session = read_session(100);
    ASSERT_TRUE(session.record(path()));
    Corruption(read_bytes(path())).set_byte(8, 3).fix_head_checksum().save(path());
    EXPECT_EQ(read_through(path(), session).ticks, 100U);
}

TEST_F(RecordingReader, UnknownOptionalChunksAreSkipped) {
    const FakeSession session = read_session(200);
    ASSERT_TRUE(session.record(path()));
    Corruption extended(read_bytes(path()));
    const auto chunks = extended.chunks();
    const auto& bytes = extended.bytes();
    const std::vector<std::byte> end_mark(bytes.end() - 28, bytes.end());
    extended.insert(chunks[2], end_mark).set_byte(chunks[2] + 4, 0xee);
    extended.fix_chunk_checksums(chunks[2]).save(path());
    const ReadThrough read = read_through(path(), session);
    EXPECT_EQ(read.ticks, 200U);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_FALSE(read.damage);
}

TEST_F(RecordingReader, UnknownRequiredChunksAreRefused) {
    const FakeSession session = read_session(200);
    ASSERT_TRUE(session.record(path()));
    Corruption changed(read_bytes(path()));
    const std::size_t at = changed.chunks()[2];
    changed.set_byte(at + 4, 0x6e).fix_chunk_checksums(at).save(path());
    const ReadThrough read = read_through(path(), session);
    EXPECT_EQ(read.ticks, 128U);
    ASSERT_TRUE(read.error);
    EXPECT_EQ(read.error->code, ErrorCode::version);
    EXPECT_EQ(read.error->offset, at);
}

TEST_F(RecordingReader, ChunksWithAnUnknownFlagAreRefused) {
    for (unsigned flag = 8; flag < 256; flag *= 2) {
        const ReadThrough read = read_with_flag(flag);
        EXPECT_EQ(read.ticks, 64U);
        ASSERT_TRUE(read.error) << flag;
        EXPECT_EQ(read.error->code, ErrorCode::version);
    }
}

TEST_F(RecordingReader, ChunksWithADtFlagButNoDtBlockAreDamaged) {
    for (const unsigned flags : {2U, 4U, 6U}) {
        const ReadThrough read = read_with_flag(flags);
        EXPECT_EQ(read.ticks, 64U);
        EXPECT_FALSE(read.error) << flags;
        EXPECT_TRUE(read.damage) << flags;
    }
}

TEST_F(RecordingReader, RewindsToTheStart) {
    const FakeSession session = read_session(200);
    ASSERT_TRUE(session.record(path()));
    auto reader = Reader::open(path());
    ASSERT_NE(*reader->next(), nullptr);
    ASSERT_NE(*reader->next(), nullptr);
    reader->rewind();
    EXPECT_EQ((*reader->next())->first_tick().value, 0U);
    EXPECT_EQ((*reader->next())->first_tick().value, 64U);
}

TEST_F(RecordingReader, RandomAccessDoesNotDisturbReadingOn) {
    const FakeSession session = read_session(300);
    ASSERT_TRUE(session.record(path()));
    auto reader = Reader::open(path());
    ASSERT_NE(*reader->next(), nullptr);
    EXPECT_EQ((*reader->chunk(4))->first_tick().value, 256U);
    EXPECT_EQ((*reader->next())->first_tick().value, 64U);
    EXPECT_EQ(reader->chunks_read(), 3U);
}

TEST_F(RecordingReader, ReadsAnyChunkWithoutATail) {
    const FakeSession session = read_session(300);
    ASSERT_TRUE(session.record(path()));
    Corruption cut(read_bytes(path()));
    cut.truncate(cut.chunks()[5]).save(path());  // behind the last ticks
    auto reader = Reader::open(path());
    EXPECT_FALSE(reader->has_tail());
    EXPECT_FALSE(reader->indexed_ticks());
    EXPECT_EQ(reader->chunk_count(), 5U);
    EXPECT_EQ(session.mismatch(**reader->chunk(3)), "");
    EXPECT_EQ(reader->chunks_read(), 1U);
}

TEST_F(RecordingReader, AChunkThatIsNotThereIsAUsageError) {
    ASSERT_TRUE(read_session(10).record(path()));
    auto reader = Reader::open(path());
    EXPECT_EQ(reader->chunk(1).error().code, ErrorCode::usage);
}

TEST_F(RecordingReader, IndexKnowsTheTicks) {
    ASSERT_TRUE(read_session(1234).record(path()));
    auto reader = Reader::open(path());
    EXPECT_EQ(reader->indexed_ticks(), 1234U);
    EXPECT_EQ(reader->chunk_count(), 20U);
    EXPECT_EQ(reader->chunks_read(), 0U);
}

TEST(ChunkTicks, LastAtLeastASecond) {
    const auto ticks = [](std::uint64_t numerator, std::uint64_t denominator) {
        return chunk_ticks(core::TickRate::make(numerator, denominator).value());
    };
    EXPECT_EQ(ticks(1, 10), 16U);
    EXPECT_EQ(ticks(16, 1), 16U);
    EXPECT_EQ(ticks(17, 1), 32U);
    EXPECT_EQ(ticks(60, 1), 64U);
    EXPECT_EQ(ticks(64000, 1001), 64U);
    EXPECT_EQ(ticks(64, 1), 64U);
    EXPECT_EQ(ticks(65, 1), 128U);
    EXPECT_EQ(ticks(1'000'000, 1), 4096U);
}

}  // namespace
}  // namespace isotick::replay
