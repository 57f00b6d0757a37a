// Whatever happens to a recording's bytes: repair saves exactly what is intact, and says exactly
// what is lost.

#include "fake_session.hpp"
#include "repaired.hpp"
#include "scratch.hpp"

#include <isotick/replay/repair.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::ErrorCode;

class Repair : public RepairTest {};

TEST_F(Repair, AnIntactRecordingIsCopiedByteByByte) {
    const RepairReport report = repaired(whole());
    EXPECT_TRUE(report.complete());
    EXPECT_TRUE(report.was_finished);
    EXPECT_EQ(report.bytes_skipped, 0U);
    EXPECT_EQ(read_bytes(path("out")), bytes());
    EXPECT_EQ(report.saved_bytes, bytes().size());
}

TEST_F(Repair, TheSourceIsNeverChanged) {
    const Corruption damaged = whole().flip_byte(chunk_at(1) + 30);
    (void)repaired(damaged);
    EXPECT_EQ(read_bytes(path("damaged")), damaged.bytes());
}

TEST_F(Repair, FlipOfEveryByteCostsItsChunk) {
    for (std::size_t at = head_size(); at < bytes().size(); ++at) {
        const RepairReport report = repaired(whole().flip_byte(at));
        const std::size_t n = chunk_with(at);
        ASSERT_EQ(report.skipped.size(), 1U) << at;
        EXPECT_EQ(report.skipped[0].offset, chunk_at(n)) << at;
        EXPECT_EQ(report.bytes_skipped, chunk_at(n + 1) - chunk_at(n)) << at;
        EXPECT_TRUE(report.was_finished) << at;
        ASSERT_EQ(lost(report), n < kTickChunks ? lost_chunk(n) : Lost()) << at;
        ASSERT_EQ(ranges(report), n < kTickChunks ? without_chunk(n) : all_ticks()) << at;
        EXPECT_EQ(report.lost_final_hashes, n == kTickChunks) << at;
        ASSERT_EQ(what_is_wrong_with_output(report), "") << at;
        ASSERT_EQ(what_is_wrong_with_the_rest(report), "") << at;
        if (n > kTickChunks) {
            EXPECT_EQ(read_bytes(path("out")), bytes()) << at;
        }
    }
}

TEST_F(Repair, FlipOfAnyByteOfTheHeadLeavesNothing) {
    for (std::size_t at = 0; at < head_size(); ++at) {
        whole().flip_byte(at).save(path("damaged"));
        const auto report = repair(path("damaged"), path("out"));
        ASSERT_FALSE(report) << at;
        EXPECT_TRUE(report.error().code == ErrorCode::damaged ||
                    report.error().code == ErrorCode::version)
            << at;
        EXPECT_FALSE(std::filesystem::exists(path("out"))) << at;
    }
}

TEST_F(Repair, TruncationAtEveryByteKeepsTheChunksBefore) {
    for (std::size_t size = head_size(); size < bytes().size(); ++size) {
        const RepairReport report = repaired(whole().truncate(size));
        std::size_t intact = 0;
        while (intact < kTickChunks && chunk_at(intact + 1) <= size) {
            ++intact;
        }
        const bool has_final = size >= chunk_at(kTickChunks + 1);
        const std::uint64_t ticks = std::min<std::uint64_t>(16 * intact, 57);
        ASSERT_EQ(ranges(report), (Ranges{{{0}, {ticks}}})) << size;
        ASSERT_EQ(lost(report), Lost()) << size;
        EXPECT_TRUE(report.skipped.empty()) << size;
        EXPECT_EQ(report.unfinished, !has_final) << size;
        EXPECT_EQ(report.was_finished, intact == kTickChunks) << size;
        EXPECT_EQ(report.lost_final_hashes, intact == kTickChunks && !has_final) << size;
        ASSERT_EQ(what_is_wrong_with_output(report), "") << size;
        ASSERT_EQ(what_is_wrong_with_the_rest(report), "") << size;
        EXPECT_EQ(read_bytes(path("out")) == bytes(), has_final) << size;
    }
}

TEST_F(Repair, ARemovedChunkCostsItsTicksAlone) {
    for (std::size_t n = 0; n < kTickChunks; ++n) {
        const RepairReport report =
            repaired(whole().erase(chunk_at(n), chunk_at(n + 1) - chunk_at(n)));
        ASSERT_EQ(report.skipped.size(), 1U) << n;
        EXPECT_EQ(report.skipped[0].offset, chunk_at(n)) << n;
        EXPECT_EQ(report.bytes_skipped, 0U) << n;
        EXPECT_EQ(lost(report), lost_chunk(n)) << n;
        EXPECT_EQ(ranges(report), without_chunk(n)) << n;
        EXPECT_EQ(what_is_wrong_with_output(report), "") << n;
        EXPECT_EQ(what_is_wrong_with_the_rest(report), "") << n;
    }
}

TEST_F(Repair, ForeignBytesBetweenChunksCostNothing) {
    for (std::size_t n = 0; n <= kTickChunks; ++n) {
        for (const std::size_t size : {1U, 27U, 65'600U}) {
            const RepairReport report =
                repaired(whole().insert(chunk_at(n), std::vector<std::byte>(size)));
            EXPECT_TRUE(report.complete()) << n;
            EXPECT_EQ(report.bytes_skipped, size) << n;
            EXPECT_EQ(read_bytes(path("out")), bytes()) << n;
        }
    }
}

TEST_F(Repair, ARepeatedChunkCostsNothing) {
    for (std::size_t n = 0; n < kTickChunks; ++n) {
        for (std::size_t to = n + 1; to <= kTickChunks; ++to) {
            const RepairReport report = repaired(whole().insert(chunk_at(to), chunk(n)));
            EXPECT_TRUE(report.complete()) << n << " " << to;
            EXPECT_EQ(read_bytes(path("out")), bytes()) << n << " " << to;
        }
    }
}

TEST_F(Repair, SwappedChunksLoseNoTick) {
    Corruption swapped = whole();
    swapped.insert(chunk_at(3), chunk(1)).erase(chunk_at(1), chunk(1).size());
    const RepairReport report = repaired(swapped);
    EXPECT_EQ(lost(report), Lost());
    EXPECT_EQ(ranges(report), (Ranges{{{0}, {32}}, {{32}, {57}}}));
    EXPECT_FALSE(report.complete());
    EXPECT_EQ(what_is_wrong_with_output(report), "");
    EXPECT_EQ(what_is_wrong_with_the_rest(report), "");
}

TEST_F(Repair, AChunkOfAnotherRecordingInsteadOfOneIsNotBelieved) {
    const RepairReport report =
        repaired(whole().erase(chunk_at(1), chunk(1).size()).insert(chunk_at(1), foreign_chunk(1)));
    EXPECT_EQ(lost(report), lost_chunk(1));
    EXPECT_EQ(ranges(report), without_chunk(1));
    EXPECT_EQ(what_is_wrong_with_output(report), "");
    EXPECT_EQ(what_is_wrong_with_the_rest(report), "");
}

TEST_F(Repair, AChunkOfAnotherRecordingBetweenTwoLosesNoTick) {
    const RepairReport report = repaired(whole().insert(chunk_at(1), foreign_chunk(1)));
    EXPECT_EQ(lost(report), Lost());
    EXPECT_EQ(ranges(report), (Ranges{{{0}, {16}}, {{16}, {57}}}));
    EXPECT_EQ(what_is_wrong_with_output(report), "");
    EXPECT_EQ(what_is_wrong_with_the_rest(report), "");
}

TEST_F(Repair, AForeignChunkOfLaterTicksDoesNotKeepTheTrueOnesOut) {
    for (const std::size_t n : {2U, 10U}) {
        const RepairReport report = repaired(whole().insert(chunk_at(1), foreign_chunk(n)));
        EXPECT_EQ(lost(report), Lost()) << n;
        EXPECT_TRUE(report.complete()) << n;
        EXPECT_EQ(read_bytes(path("out")), bytes()) << n;
    }
}

TEST_F(Repair, AForeignChunkBeforeTheEndDoesNotHideIt) {
    for (const std::uint64_t ticks : {57U, 64U}) {  // 64: where the foreign one would go on
        session_.ticks = ticks;
        record();
        const RepairReport report = repaired(whole().insert(chunk_at(4), foreign_chunk(4)));
        EXPECT_TRUE(report.complete()) << ticks;
        EXPECT_EQ(report.skipped.size(), 1U) << ticks;
        EXPECT_EQ(read_bytes(path("out")), bytes()) << ticks;
    }
}

TEST_F(Repair, TheEndOfAnotherRecordingIsNotTaken) {
    Corruption mixed = whole();
    mixed.truncate(chunk_at(4)).insert(chunk_at(4), foreign_chunk(4, 57));
    mixed.erase(chunk_at(1), chunk(1).size());
    const RepairReport report = repaired(mixed);
    EXPECT_TRUE(report.lost_final_hashes);
    EXPECT_FALSE(report.finished);
    EXPECT_EQ(report.not_saved.size(), 1U);
    EXPECT_EQ(what_is_wrong_with_output(report), "");
    EXPECT_EQ(what_is_wrong_with_the_rest(report), "");
}

TEST_F(Repair, SeveralDamages) {
    session_.ticks = 160;
    record();
    Corruption damaged = whole();
    damaged.flip_byte(chunk_at(1) + 40).flip_byte(chunk_at(4)).flip_byte(chunk_at(5) + 10);
    damaged.erase(chunk_at(8), 3);
    const RepairReport report = repaired(damaged);
    EXPECT_EQ(lost(report), (Lost{{16, 32}, {64, 96}, {128, 144}}));
    EXPECT_EQ(ranges(report), (Ranges{{{0}, {16}}, {{32}, {64}}, {{96}, {128}}, {{144}, {160}}}));
    EXPECT_EQ(names(), (std::vector<std::string>{"damaged", "out", "whole"}));
    EXPECT_EQ(what_is_wrong_with_output(report), "");
    EXPECT_EQ(what_is_wrong_with_the_rest(report), "");
}

TEST_F(Repair, AFinalChunkThatHeldOnlyDigestsIsMadeAnew) {
    session_.head.hash_every = 1;
    session_.set_parts(1);
    for (const std::uint64_t ticks : {57U, 64U}) {
        session_.ticks = ticks;
        record();
        const RepairReport report = repaired(whole().flip_byte(chunk_at(4) + 30));
        EXPECT_TRUE(report.complete()) << ticks;
        EXPECT_EQ(read_bytes(path("out")), bytes()) << ticks;
    }
}

TEST_F(Repair, OfFullChunksWithoutIndexNobodyKnowsWhetherTheyWereAll) {
    session_.head.hash_every = 1;
    session_.set_parts(1);
    session_.ticks = 64;
    record();
    const RepairReport report = repaired(whole().truncate(chunk_at(4) + 30));
    EXPECT_FALSE(report.was_finished);
    EXPECT_TRUE(report.unfinished);
    EXPECT_FALSE(report.finished);
    EXPECT_EQ(lost(report), Lost());
}

TEST_F(Repair, AnOptionalChunkOfANewerVersionIsKept) {
    std::vector<std::byte> unknown = chunk(5);
    unknown[4] = std::byte{0x90};
    Corruption newer = whole();
    newer.insert(chunk_at(2), unknown).fix_chunk_checksums(chunk_at(2));
    newer.flip_byte(newer.bytes().size() - 1);
    const RepairReport report = repaired(newer);
    EXPECT_TRUE(report.complete());
    const Corruption out(read_bytes(path("out")));
    EXPECT_EQ(out.bytes()[chunk_at(2) + 4], std::byte{0x90});
    EXPECT_EQ(what_is_wrong_with_output(report), "");
    EXPECT_EQ(what_is_wrong_with_the_rest(report), "");
}

TEST_F(Repair, ARequiredChunkOfANewerVersionIsNotPassedOver) {
    for (const std::uint8_t type : {std::uint8_t{0x03}, std::uint8_t{0x7f}}) {
        Corruption newer = whole();
        newer.set_byte(chunk_at(1) + 4, type).fix_chunk_checksums(chunk_at(1));
        newer.save(path("damaged"));
        const auto report = repair(path("damaged"), path("out"));
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, ErrorCode::version);
        EXPECT_EQ(report.error().offset, chunk_at(1));
        EXPECT_FALSE(std::filesystem::exists(path("out")));
    }
}

TEST_F(Repair, HostileHeadersNeverCrashAndNeverMakeTicksUp) {
    for (std::size_t n = 0; n <= kTickChunks; ++n) {
        for (std::size_t field = 6; field < 20; ++field) {
            for (const int value : {0x00, 0x01, 0x10, 0x7f, 0x80, 0xff}) {
                const std::size_t at = chunk_at(n);
                Corruption hostile = whole();
                hostile.set_byte(at + field, static_cast<std::uint8_t>(value));
                if (field < 8 || field >= 12) {
                    hostile.fix_chunk_checksums(at);
                } else {
                    hostile.fix_header_checksum(at);
                }
                const RepairReport report = repaired(hostile);
                EXPECT_EQ(what_is_wrong_with_output(report), "") << n << " " << field;
            }
        }
    }
}

}  // namespace
}  // namespace isotick::replay
