// What one reader of a damaged recording says of it the others say too.

#include "format/chunk_header.hpp"
#include "repaired.hpp"

#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/reader.hpp>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::ErrorCode;

struct ReadChunk {
    TickRange ticks;
    bool is_last = false;
    std::optional<core::StateHash> state;  // after the last tick
    friend bool operator==(const ReadChunk&, const ReadChunk&) = default;
};

struct ReadChunks {
    std::vector<ReadChunk> chunks;
    std::optional<ErrorCode> error;
};

class AllReaders : public RepairTest {
  protected:
    // Calls next of a Reader or of SurvivingChunks to the end.
    template <class Chunks>
    static ReadChunks all_of(Chunks& chunks) {
        ReadChunks all;
        for (;;) {
            const auto next = chunks.next();
            if (!next) {
                all.error = next.error().code;
                return all;
            }
            if (*next == nullptr) {
                return all;
            }
            const TickChunk& chunk = **next;
            const std::uint64_t first = chunk.first_tick().value;
            all.chunks.push_back({{{first}, {first + chunk.ticks()}},
                                  chunk.is_last(),
                                  chunk.state_hash(chunk.ticks() - 1)});
        }
    }

    void read(const Corruption& corruption) {
        corruption.save(path("damaged"));
        auto reader = Reader::open(path("damaged"));
        auto chunks = SurvivingChunks::open(path("damaged"));
        ASSERT_TRUE(reader && chunks);
        intact_ = all_of(*reader);
        surviving_ = all_of(*chunks);
        ASSERT_GE(surviving_.chunks.size(), intact_.chunks.size());
        for (std::size_t n = 0; n < intact_.chunks.size(); ++n) {
            EXPECT_EQ(surviving_.chunks[n], intact_.chunks[n]) << n;
        }
        const auto found = survey(path("damaged"));
        EXPECT_EQ(found.has_value(), repair(path("damaged"), path("out")).has_value());
        EXPECT_EQ(surviving_.error, intact_.error);
        ASSERT_EQ(found.has_value(), !intact_.error);
        if (found) {
            expect_as_surveyed(*found, *reader);
        }
    }

    void expect_as_surveyed(const Survey& found, const Reader& reader) const {
        EXPECT_EQ(found.chunks, intact_.chunks.size());
        EXPECT_EQ(found.finished, reader.saw_last());
        EXPECT_EQ(found.damages.empty() ? std::nullopt : std::optional(found.damages.front()),
                  reader.damage());
        EXPECT_EQ(found.tail_damage, reader.tail_damage());
        Ranges shown;
        for (const ReadChunk& chunk : surviving_.chunks) {
            if (!shown.empty() && shown.back().end == chunk.ticks.first) {
                shown.back().end = chunk.ticks.end;
            } else {
                shown.push_back(chunk.ticks);
            }
        }
        EXPECT_EQ(shown, found.surviving);
    }

    ReadChunks intact_;
    ReadChunks surviving_;
};

TEST_F(AllReaders, SeeTicksBehindAFinalChunkThatComesTooEarly) {
    const auto final = chunk(kTickChunks);
    read(whole().erase(chunk_at(4), final.size()).insert(chunk_at(1), final));
    EXPECT_EQ(intact_.chunks.size(), 1U);
    EXPECT_EQ(surviving_.chunks.size(), 4U);
}

TEST_F(AllReaders, DoNotBelieveFinalHashesThatTheDigestDoesNotCover) {
    const std::size_t digest = chunk_at(kTickChunks + 1) - kPayloadChecksumSize - 1;
    read(whole().flip_byte(digest).fix_chunk_checksums(chunk_at(kTickChunks)));
    ASSERT_EQ(intact_.chunks.size(), kTickChunks);
    EXPECT_FALSE(intact_.chunks.back().is_last);
    EXPECT_FALSE(intact_.chunks.back().state);
}

TEST_F(AllReaders, GiveTheTicksBeforeAChunkThatNeedsANewerIsotick) {
    const std::size_t at = chunk_at(kTickChunks);
    read(whole().set_byte(at + kSyncMarker.size(), 0x0c).fix_header_checksum(at));
    EXPECT_EQ(intact_.chunks.size(), kTickChunks);
    EXPECT_EQ(intact_.error, ErrorCode::version);
    EXPECT_TRUE(Reader::open(path("damaged"))->chunk(kTickChunks - 1));
}

TEST_F(AllReaders, NeedANewerIsotickForTicksBehindAMissingChunkToo) {
    read(whole()
             .set_byte(chunk_at(2) + kChunkHeaderSize, 0xff)
             .fix_chunk_checksums(chunk_at(2))
             .erase(chunk_at(1), chunk(1).size()));
    EXPECT_EQ(intact_.chunks.size(), 1U);
    EXPECT_EQ(intact_.error, ErrorCode::version);
}

TEST_F(AllReaders, GiveTheSameReasonForADamagedChunkBehindAMissingOne) {
    read(whole().flip_byte(chunk_at(2) + 30).erase(chunk_at(1), chunk(1).size()));
    EXPECT_EQ(intact_.chunks.size(), 1U);
    EXPECT_EQ(surviving_.chunks.size(), 2U);
}

TEST_F(AllReaders, SkipAnyNumberOfDamagedOptionalChunks) {
    constexpr std::size_t kMany = 20'000;  // damaged places are not told apart behind the 16,384th
    Bytes skipped = frame_chunk({.type = 0x90}, {});
    skipped.back() ^= std::byte{1};
    std::vector<std::byte> many;
    for (std::size_t n = 0; n < kMany; ++n) {
        many.insert(many.end(), skipped.begin(), skipped.end());
    }
    read(whole().insert(chunk_at(1), many));
    EXPECT_EQ(intact_.chunks.size(), kTickChunks);
}

}  // namespace
}  // namespace isotick::replay
