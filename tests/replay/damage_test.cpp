// Whatever happens to a recording's bytes: no crash, and never a tick that is not the true one.

#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::ErrorCode;

constexpr std::array<std::uint8_t, 5> kTellingBytes = {0x00, 0x01, 0x7f, 0x80, 0xff};

class Damaged : public Scratch {
  protected:
    void SetUp() override {
        ASSERT_TRUE(session_.record(path("whole")));
        bytes_ = read_bytes(path("whole"));
        chunks_ = Corruption(bytes_).chunks();
        ASSERT_EQ(chunks_.size(), 7U);  // four of ticks, final, index, end mark
    }

    [[nodiscard]] Corruption whole() const { return Corruption(bytes_); }

    ReadThrough read(const Corruption& corruption) {
        corruption.save(path("damaged"));
        return read_through(path("damaged"), session_);
    }

    [[nodiscard]] std::size_t head_size() const { return chunks_[0]; }
    [[nodiscard]] std::size_t final_at() const { return chunks_[4]; }
    [[nodiscard]] std::size_t index_at() const { return chunks_[5]; }

    FakeSession session_ = small_session();
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> chunks_;
};

TEST_F(Damaged, TruncationAtEveryByte) {
    for (std::size_t size = 0; size < bytes_.size(); ++size) {
        const ReadThrough found = read(whole().truncate(size));
        ASSERT_EQ(found.error.has_value(), size < head_size()) << size;
        if (found.error) {
            EXPECT_EQ(found.error->code, ErrorCode::damaged) << size;
            continue;
        }
        ASSERT_EQ(found.mismatch, "") << size;
        std::uint64_t intact = 0;
        while (intact < 4 && chunks_[intact + 1] <= size) {
            ++intact;
        }
        EXPECT_EQ(found.chunks, intact) << size;
        EXPECT_FALSE(found.has_tail) << size;
        EXPECT_EQ(found.saw_last, size >= index_at()) << size;
        EXPECT_FALSE(found.damage) << size;
        EXPECT_FALSE(found.tail_damage) << size;
        EXPECT_EQ(survey(path("damaged"))->is_unfinished(), size < index_at()) << size;
    }
}

TEST_F(Damaged, TruncationDoesNotHideAFlippedByteBeforeIt) {
    for (std::size_t at = head_size(); at < chunks_[2]; ++at) {
        for (const std::size_t size : {chunks_[2], chunks_[2] + 10, chunks_[2] + 40}) {
            const ReadThrough found = read(whole().flip_byte(at).truncate(size));
            ASSERT_EQ(found.mismatch, "") << at;
            EXPECT_TRUE(found.damage) << at;
            EXPECT_FALSE(survey(path("damaged"))->is_unfinished()) << at;
        }
    }
}

// A killed process leaves no zeros where it has written nothing yet, and no other bytes.
TEST_F(Damaged, BytesInsteadOfAChunkAreNotOneThatIsCut) {
    for (const std::size_t size : {1U, 5U, 24U, 100U}) {
        for (const std::uint8_t byte : {std::uint8_t{0x00}, std::uint8_t{0xff}}) {
            Corruption filled = whole().truncate(chunks_[2]);
            filled.insert(chunks_[2], std::vector<std::byte>(size, std::byte{byte}));
            const ReadThrough found = read(filled);
            EXPECT_EQ(found.chunks, 2U) << size;
            EXPECT_TRUE(found.damage) << size;
            EXPECT_FALSE(survey(path("damaged"))->is_unfinished()) << size;
        }
    }
}

TEST_F(Damaged, AChunkThatClaimsTheOnesBehindItIsNotCut) {
    Corruption hostile = whole().set_byte(chunks_[1] + 10, 0x7f).fix_header_checksum(chunks_[1]);
    const ReadThrough found = read(hostile);
    EXPECT_EQ(found.chunks, 1U);
    EXPECT_TRUE(found.damage);
    EXPECT_FALSE(survey(path("damaged"))->is_unfinished());
}

TEST_F(Damaged, FlipOfEveryByte) {
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
        const ReadThrough found = read(whole().flip_byte(at));
        ASSERT_EQ(found.mismatch, "") << at;
        ASSERT_EQ(found.error.has_value(), at < head_size()) << at;
        if (found.error) {
            continue;
        }
        const bool in_tail = at >= index_at();
        EXPECT_EQ(found.damage.has_value(), !in_tail) << at;
        EXPECT_EQ(found.saw_last, in_tail) << at;
        EXPECT_EQ(found.has_tail, !in_tail) << at;
        EXPECT_EQ(found.tail_damage.has_value(), in_tail) << at;
        if (found.damage) {
            EXPECT_LE(found.damage->offset, at);
            EXPECT_EQ(found.chunks,
                      std::size_t(std::upper_bound(chunks_.begin(), chunks_.end(), at) -
                                  chunks_.begin() - 1));
        }
    }
}

TEST_F(Damaged, FlipOfEveryByteSeenByRandomAccess) {
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
        whole().flip_byte(at).save(path("damaged"));
        auto reader = Reader::open(path("damaged"));
        if (!reader) {
            continue;
        }
        const std::uint64_t count = reader->chunk_count().value();
        for (std::uint64_t n = 0; n < count; ++n) {
            const auto chunk = reader->chunk(n);
            const bool flipped = at >= chunks_[n] && at < chunks_[n + 1];
            ASSERT_EQ(chunk.has_value(), !flipped) << at;
            if (chunk && !flipped && (*chunk)->is_last() == (n == 3)) {
                EXPECT_EQ(session_.mismatch(**chunk), "") << at;
            }
        }
    }
}

TEST_F(Damaged, EmptyFileIsNoRecording) {
    const ReadThrough found = read(Corruption({}));
    ASSERT_TRUE(found.error);
    EXPECT_EQ(found.error->code, ErrorCode::damaged);
}

TEST_F(Damaged, SwappedChunksAreNotBelieved) {
    const std::vector<std::byte> first(bytes_.begin() + std::ptrdiff_t(chunks_[0]),
                                       bytes_.begin() + std::ptrdiff_t(chunks_[1]));
    Corruption swapped = whole();
    swapped.insert(chunks_[2], first).erase(chunks_[0], first.size());
    const ReadThrough found = read(swapped);
    EXPECT_EQ(found.ticks, 0U);
    ASSERT_TRUE(found.damage);
    EXPECT_EQ(found.damage->offset, chunks_[0]);
}

TEST_F(Damaged, AChunkOfAnotherRecordingIsNotBelieved) {
    FakeSession other = session_;
    other.input = [](std::uint64_t tick, std::uint32_t column) {
        return mixed_input(tick + 1, column);
    };
    ASSERT_TRUE(other.record(path("other")));
    const std::vector<std::byte> foreign = read_bytes(path("other"));
    const auto foreign_chunks = Corruption(foreign).chunks();
    Corruption mixed = whole();
    mixed.erase(chunks_[1], chunks_[2] - chunks_[1]);
    mixed.insert(chunks_[1], {foreign.begin() + std::ptrdiff_t(foreign_chunks[1]),
                              foreign.begin() + std::ptrdiff_t(foreign_chunks[2])});
    const ReadThrough found = read(mixed);
    EXPECT_EQ(found.chunks, 1U);
    EXPECT_EQ(found.mismatch, "");
    ASSERT_TRUE(found.damage);
    EXPECT_EQ(found.damage->offset, chunks_[1]);
}

TEST_F(Damaged, BytesBehindTheEndCostNothing) {
    Corruption longer = whole();
    longer.insert(bytes_.size(), std::vector<std::byte>(100, std::byte{0xfe}));
    const ReadThrough found = read(longer);
    EXPECT_EQ(found.ticks, 57U);
    EXPECT_FALSE(found.damage);
    EXPECT_TRUE(found.tail_damage);
}

TEST_F(Damaged, EveryByteOfEveryPayloadSetWithRightChecksumsNeverCrashes) {
    // What a hostile file can do: any byte, and checksums that vouch for it.
    for (std::size_t n = 0; n < chunks_.size(); ++n) {
        const std::size_t end = n + 1 < chunks_.size() ? chunks_[n + 1] : bytes_.size();
        for (std::size_t at = chunks_[n] + 24; at + 4 < end; ++at) {
            for (const std::uint8_t value : kTellingBytes) {
                Corruption hostile = whole();
                hostile.set_byte(at, value).fix_chunk_checksums(chunks_[n]);
                const ReadThrough found = read(hostile);
                ASSERT_EQ(found.mismatch, "") << at;
            }
        }
    }
}

TEST_F(Damaged, HostileHeadLengthsNeverCrash) {
    for (std::size_t at = 20; at < head_size(); ++at) {
        for (const std::uint8_t value : kTellingBytes) {
            whole().set_byte(at, value).fix_head_checksum().save(path("damaged"));
            const auto reader = Reader::open(path("damaged"));
            if (!reader) {
                EXPECT_EQ(reader.error().code, ErrorCode::damaged);
            }
        }
    }
}

TEST_F(Damaged, HostileChunkHeadersNeverCrash) {
    for (std::size_t field = 4; field < 20; ++field) {
        for (const std::uint8_t value : kTellingBytes) {
            Corruption hostile = whole();
            hostile.set_byte(chunks_[1] + field, value);
            const std::size_t header = chunks_[1];
            const bool fits = field < 8 || field >= 12;
            if (fits) {
                hostile.fix_chunk_checksums(header);
            }
            const ReadThrough found = read(hostile);
            EXPECT_EQ(found.mismatch, "");
            (void)survey(path("damaged"));
        }
    }
}

}  // namespace
}  // namespace isotick::replay
