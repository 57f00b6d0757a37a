// Partial recordings: what survived behind damage, from a later tick on.

#include "repaired.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/playback.hpp>
#include <isotick/replay/recorded_ticks.hpp>
#include <isotick/replay/survey.hpp>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

constexpr std::size_t kMarkSize = 28;

// The ticks from 16 on of small_session, in a file of their own.
class PartialRecording : public RepairTest {
  protected:
    void SetUp() override {
        RepairTest::SetUp();
        (void)repaired(whole().flip_byte(chunk_at(0) + 30), true);
    }

    [[nodiscard]] std::filesystem::path partial() const { return path("out.16"); }
    [[nodiscard]] Corruption partial_bytes() const { return Corruption(read_bytes(partial())); }
};

TEST_F(PartialRecording, SaysWithWhichTickItBegins) {
    auto reader = Reader::open(partial());
    ASSERT_TRUE(reader) << describe(reader.error());
    EXPECT_EQ(reader->first_tick(), core::Tick{16});
    EXPECT_EQ(reader->indexed_ticks(), 41U);
    EXPECT_EQ(reader->chunk_count(), 3U);
    EXPECT_EQ(reader->initial().state, session_.state_after(0));
}

TEST_F(PartialRecording, IsReadByChunkToo) {
    auto reader = Reader::open(partial());
    for (std::uint64_t n = 0; n < 3; ++n) {
        const auto chunk = reader->chunk(n);
        ASSERT_TRUE(chunk) << describe(chunk.error());
        EXPECT_EQ((*chunk)->first_tick(), core::Tick{16 * (n + 1)});
        EXPECT_EQ(session_.mismatch(**chunk), "");
    }
}

TEST_F(PartialRecording, IsReadByChunkWithoutItsIndex) {
    partial_bytes().truncate(partial_bytes().chunks().at(5)).save(path("cut"));
    auto reader = Reader::open(path("cut"));
    EXPECT_FALSE(reader->has_tail());
    EXPECT_EQ(reader->chunk_count(), 3U);
    EXPECT_EQ((*reader->chunk(2))->first_tick(), core::Tick{48});
}

TEST_F(PartialRecording, IsWalkedOverFromItsFirstTick) {
    auto reader = Reader::open(partial());
    RecordedTicks ticks(*reader);
    for (std::uint64_t tick = 16; tick < 57; ++tick) {
        ASSERT_TRUE(ticks.advance().value());
        EXPECT_EQ(ticks.tick(), core::Tick{tick});
    }
    EXPECT_FALSE(ticks.advance().value());
}

TEST_F(PartialRecording, IsNotPlayedBack) {
    const auto playback = Playback::open(partial());
    ASSERT_FALSE(playback);
    EXPECT_EQ(playback.error().code, core::ErrorCode::usage);
    EXPECT_NE(playback.error().message.find("from tick 16 on"), std::string::npos);
}

TEST_F(PartialRecording, SurveyCountsItsOwnTicks) {
    const auto found = survey(partial());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->first_tick, core::Tick{16});
    EXPECT_EQ(found->ticks, 41U);
    EXPECT_TRUE(found->finished);
    EXPECT_TRUE(found->has_tail);
    EXPECT_EQ(found->surviving, (Ranges{{{16}, {57}}}));
}

TEST_F(PartialRecording, HasDigestsOfItsOwn) {
    session_.input = [](std::uint64_t, std::uint32_t) { return Input(); };
    record();
    (void)repaired(whole().flip_byte(chunk_at(0) + 30), true);
    // Nobody plays, so that only the mark tells the first 16 ticks from the next.
    auto reader = Reader::open(path("whole"));
    auto late = Reader::open(partial());
    EXPECT_NE((*reader->next())->session_digest(), (*late->next())->session_digest());
}

TEST_F(PartialRecording, FlipOfEveryByteOfTheMarkLeavesNothingToReplay) {
    const std::size_t mark = head_size();
    for (std::size_t at = mark; at < mark + kMarkSize; ++at) {
        partial_bytes().flip_byte(at).save(path("flipped"));
        const ReadThrough read = read_through(path("flipped"), session_);
        EXPECT_EQ(read.ticks, 0U) << at;
        EXPECT_TRUE(read.damage) << at;
        EXPECT_EQ(read.damage->offset, mark) << at;
    }
}

TEST_F(PartialRecording, AMarkOfATickThatNoChunkStartsWithIsMalformed) {
    for (const int tick : {0, 1, 15, 17}) {
        Corruption odd = partial_bytes();
        odd.set_byte(head_size() + 12, static_cast<std::uint8_t>(tick));
        odd.fix_chunk_checksums(head_size());
        odd.save(path("odd"));
        const ReadThrough read = read_through(path("odd"), session_);
        EXPECT_EQ(read.ticks, 0U) << tick;
        ASSERT_TRUE(read.damage) << tick;
        EXPECT_EQ(read.damage->offset, head_size()) << tick;
    }
}

TEST_F(PartialRecording, AMarkElsewhereIsDamage) {
    const auto mark = read_bytes(partial());
    const std::vector<std::byte> bytes(mark.begin() + std::ptrdiff_t(head_size()),
                                       mark.begin() + std::ptrdiff_t(head_size() + kMarkSize));
    whole().insert(chunk_at(1), bytes).save(path("stray"));
    const ReadThrough read = read_through(path("stray"), session_);
    EXPECT_EQ(read.ticks, 16U);
    ASSERT_TRUE(read.damage);
    EXPECT_EQ(read.damage->offset, chunk_at(1));
}

TEST_F(PartialRecording, IsRepairedToAPartialRecording) {
    const auto intact = read_bytes(partial());
    const RepairReport copied = repaired(partial_bytes());
    EXPECT_TRUE(copied.complete());
    EXPECT_EQ(read_bytes(path("out")), intact);

    const std::size_t second = Corruption(intact).chunks().at(2);
    const RepairReport report = repaired(Corruption(intact).flip_byte(second + 30), true);
    EXPECT_EQ(report.first_tick, core::Tick{16});
    EXPECT_EQ(ranges(report), (Ranges{{{16}, {32}}, {{48}, {57}}}));
    EXPECT_EQ(lost(report), (Lost{{32, 48}}));
    EXPECT_EQ(what_is_wrong_with_outputs(report), "");
}

TEST_F(PartialRecording, WhoseMarkIsLostIsFoundAgain) {
    const RepairReport report = repaired(partial_bytes().flip_byte(head_size() + 20), true);
    EXPECT_EQ(ranges(report), (Ranges{{{0}, {0}}, {{16}, {57}}}));
    EXPECT_EQ(lost(report), (Lost{{0, 16}}));
    EXPECT_EQ(what_is_wrong_with_outputs(report), "");
}

TEST_F(PartialRecording, IsComparedWhereBothHaveTicks) {
    const auto same = compare(path("whole"), partial());
    ASSERT_TRUE(same) << describe(same.error());
    EXPECT_FALSE(same->session || same->hashes);
    EXPECT_FALSE(same->identical() || same->a_is_prefix() || same->b_is_prefix());
    EXPECT_EQ(same->common_ticks(), (TickRange{{16}, {57}}));
    EXPECT_EQ(same->a.ticks, 57U);
    EXPECT_EQ(same->b.first_tick, core::Tick{16});
    EXPECT_EQ(same->b.ticks, 41U);
    EXPECT_TRUE(compare(partial(), partial())->identical());
}

TEST_F(PartialRecording, ADifferenceIsFoundAtItsTick) {
    FakeSession other = session_;
    other.part_hash = [](std::uint64_t done, std::uint32_t part) {
        return mix(done, part, done >= 40 ? 78 : 77);
    };
    other.input = [](std::uint64_t tick, std::uint32_t column) {
        return tick == 33 && column == 1 ? Input({9, 9, 9}) : mixed_input(tick, column);
    };
    ASSERT_TRUE(other.record(path("other")));
    for (const bool swapped : {false, true}) {
        const auto found =
            swapped ? compare(path("other"), partial()) : compare(partial(), path("other"));
        ASSERT_TRUE(found);
        ASSERT_TRUE(found->hashes && found->session);
        EXPECT_EQ(found->hashes->tick, core::Tick{39});
        EXPECT_EQ(found->hashes->last_equal, core::Tick{35});
        EXPECT_EQ(found->session->tick, core::Tick{33});
    }
}

TEST_F(PartialRecording, OthersMayHaveNoTickInCommon) {
    session_.ticks = 16;
    record();
    for (const bool swapped : {false, true}) {
        const auto found =
            swapped ? compare(path("whole"), partial()) : compare(partial(), path("whole"));
        ASSERT_TRUE(found);
        EXPECT_FALSE(found->common_ticks());
        EXPECT_EQ(found->a.ticks + found->b.ticks, 57U);
        EXPECT_EQ(found->hashes_compared, 1U);  // those before tick 0
    }
}

}  // namespace
}  // namespace isotick::replay
