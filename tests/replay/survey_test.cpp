#include "fake_session.hpp"
#include "repaired.hpp"
#include "scratch.hpp"

#include <isotick/replay/detail/survey.hpp>

#include <gtest/gtest.h>

namespace isotick::replay {

namespace {

// Ten full chunks and a short one.
class RecordingSurvey : public Scratch {
  protected:
    void SetUp() override {
        session_.head.session.players = 2;
        session_.input = mixed_input;
        session_.ticks = 650;
        ASSERT_TRUE(session_.record(path()));
        chunks_ = whole().chunks();
    }

    [[nodiscard]] Corruption whole() const { return Corruption(read_bytes(path())); }

    Survey survey_of(const Corruption& corruption) {
        corruption.save(path("damaged"));
        auto found = survey(path("damaged"));
        EXPECT_TRUE(found) << describe(found.error());
        return found.value_or(Survey());
    }

    FakeSession session_;
    std::vector<std::size_t> chunks_;
};

TEST_F(RecordingSurvey, WholeRecording) {
    const Survey found = survey_of(whole());
    EXPECT_EQ(found.head, session_.head);
    EXPECT_EQ(found.bytes, whole().bytes().size());
    EXPECT_EQ(found.ticks, 650U);
    EXPECT_EQ(found.chunks, 11U);
    EXPECT_EQ(found.stored_hashes, 650U);
    EXPECT_TRUE(found.finished);
    EXPECT_TRUE(found.has_tail);
    EXPECT_TRUE(found.damages.empty());
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {650}}}));
}

TEST_F(RecordingSurvey, DigestsAreTheWriters) {
    auto writer = session_.create(path("again"));
    ASSERT_TRUE(session_.append(*writer, 650));
    ASSERT_TRUE(session_.finish(*writer));
    const Survey found = survey_of(whole());
    EXPECT_EQ(found.session_digest, writer->session_digest());
    EXPECT_EQ(found.hash_digest, writer->hash_digest());
}

TEST_F(RecordingSurvey, EmptyRecordingHasTheDigestsOfItsHead) {
    auto writer = session_.create(path("empty"));
    ASSERT_TRUE(session_.finish(*writer));
    const auto found = survey(path("empty"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->session_digest, writer->session_digest());
    EXPECT_EQ(found->hash_digest, writer->hash_digest());
    EXPECT_TRUE(found->finished);
    EXPECT_TRUE(found->surviving.empty());
}

TEST_F(RecordingSurvey, OneBadPayloadCostsOneChunk) {
    const Survey found = survey_of(whole().flip_byte(chunks_[3] + 30));
    EXPECT_EQ(found.ticks, 192U);
    ASSERT_EQ(found.damages.size(), 1U);
    EXPECT_EQ(found.damages[0].offset, chunks_[3]);
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {192}}, {{256}, {650}}}));
    EXPECT_FALSE(found.finished);
}

TEST_F(RecordingSurvey, OneBadHeaderCostsOneChunk) {
    const Survey found = survey_of(whole().flip_byte(chunks_[3] + 9));
    ASSERT_EQ(found.damages.size(), 1U);
    EXPECT_EQ(found.damages[0].offset, chunks_[3]);
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {192}}, {{256}, {650}}}));
}

TEST_F(RecordingSurvey, EveryDamageIsReported) {
    Corruption corruption = whole();
    corruption.flip_byte(chunks_[0] + 30).flip_byte(chunks_[4]).flip_byte(chunks_[5] + 40);
    const Survey found = survey_of(corruption);
    EXPECT_EQ(found.ticks, 0U);
    ASSERT_EQ(found.damages.size(), 3U);
    EXPECT_EQ(found.damages[0].offset, chunks_[0]);
    EXPECT_EQ(found.damages[1].offset, chunks_[4]);
    EXPECT_EQ(found.damages[2].offset, chunks_[5]);
    EXPECT_EQ(found.surviving, (Ranges{{{64}, {256}}, {{384}, {650}}}));
}

TEST_F(RecordingSurvey, LostBytesInTheMiddleCostOneChunk) {
    const Survey found = survey_of(whole().erase(chunks_[2] + 50, 7));
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {128}}, {{192}, {650}}}));
}

TEST_F(RecordingSurvey, ForeignBytesInTheMiddleCostNoTick) {
    const std::vector<std::byte> zeros(200'000);
    const Survey found = survey_of(whole().insert(chunks_[2], zeros));
    ASSERT_EQ(found.damages.size(), 1U);
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {650}}}));
    EXPECT_EQ(found.ticks, 128U);
}

TEST_F(RecordingSurvey, FindsAMarkerWhereverItStands) {
    // The search reads 64 KiB at a time; the marker must not fall between two of them.
    for (std::size_t size = 65'530; size < 65'545; ++size) {
        const Survey found = survey_of(whole().insert(chunks_[2], std::vector<std::byte>(size)));
        EXPECT_EQ(found.surviving, (Ranges{{{0}, {650}}})) << size;
    }
}

TEST_F(RecordingSurvey, MarkersInForeignBytesAreNotBelieved) {
    std::vector<std::byte> markers;
    for (int i = 0; i < 50'000; ++i) {
        for (const std::uint8_t byte : std::array<std::uint8_t, 4>{0xfe, 0xc0, 0xde, 0xf5}) {
            markers.push_back(std::byte{byte});
        }
    }
    const Survey found = survey_of(whole().insert(chunks_[2], markers));
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {650}}}));
}

TEST_F(RecordingSurvey, ARepeatedChunkIsDamageThatCostsNothing) {
    const auto bytes = whole().bytes();
    const std::vector<std::byte> first(bytes.begin() + std::ptrdiff_t(chunks_[1]),
                                       bytes.begin() + std::ptrdiff_t(chunks_[2]));
    const Survey found = survey_of(whole().insert(chunks_[4], first));
    ASSERT_FALSE(found.damages.empty());
    EXPECT_EQ(found.damages[0].offset, chunks_[4]);
    EXPECT_EQ(found.surviving, (Ranges{{{0}, {650}}}));
}

TEST_F(RecordingSurvey, TruncatedRecording) {
    const Survey found = survey_of(whole().truncate(chunks_[10] + 5));
    EXPECT_EQ(found.ticks, 640U);
    EXPECT_TRUE(found.damages.empty());
    EXPECT_TRUE(found.is_unfinished());
    EXPECT_FALSE(found.has_tail);
    EXPECT_FALSE(found.finished);
}

TEST_F(RecordingSurvey, DamagedTailCostsNoTick) {
    const std::size_t last_byte = whole().bytes().size() - 1;
    const Survey found = survey_of(whole().flip_byte(last_byte));
    EXPECT_EQ(found.ticks, 650U);
    EXPECT_TRUE(found.finished);
    EXPECT_FALSE(found.has_tail);
    EXPECT_TRUE(found.tail_damage);
    EXPECT_TRUE(found.damages.empty());
}

TEST_F(RecordingSurvey, RecordingWithoutATailSaysSo) {
    const Survey found = survey_of(whole().truncate(chunks_[9]));
    EXPECT_EQ(found.ticks, 576U);
    EXPECT_FALSE(found.finished);
    EXPECT_FALSE(found.has_tail);
    EXPECT_TRUE(found.damages.empty());
    EXPECT_FALSE(found.tail_damage);
}

}  // namespace
}  // namespace isotick::replay
