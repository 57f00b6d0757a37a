#include "repaired.hpp"

#include <isotick/replay/detail/survey.hpp>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

class Surviving : public RepairTest {
  protected:
    // The ranges of the chunks from the one with `from` on. Checks them against the session.
    Ranges chunks_from(std::uint64_t from, const std::string& path) {
        auto chunks = SurvivingChunks::open(path);
        EXPECT_TRUE(chunks && chunks->seek({from}));
        Ranges found;
        while (const TickChunk* chunk = chunks->next().value()) {
            EXPECT_EQ(session_.mismatch(*chunk), "");
            found.push_back({chunk->first_tick(), {chunk->first_tick().value + chunk->ticks()}});
            met_.insert(met_.end(), chunks->damages().begin(), chunks->damages().end());
        }
        return found;
    }
    Ranges chunks_from(std::uint64_t from, const Corruption& corruption) {
        corruption.save(path("damaged"));
        return chunks_from(from, path("damaged"));
    }

    std::vector<Damage> met_;
};

TEST_F(Surviving, AllChunksOfAnIntactRecording) {
    EXPECT_EQ(chunks_from(0, whole()),
              (Ranges{{{0}, {16}}, {{16}, {32}}, {{32}, {48}}, {{48}, {57}}}));
    EXPECT_TRUE(met_.empty());
}

TEST_F(Surviving, SeekingGoesToTheChunkThatHoldsTheTick) {
    EXPECT_EQ(chunks_from(47, whole()), (Ranges{{{32}, {48}}, {{48}, {57}}}));
    EXPECT_EQ(chunks_from(48, whole()), (Ranges{{{48}, {57}}}));
    EXPECT_EQ(chunks_from(1000, whole()), (Ranges{{{48}, {57}}}));
}

TEST_F(Surviving, WithoutAnIndexSeekingReadsFromTheStart) {
    const Ranges found = chunks_from(48, whole().truncate(chunk_at(5)));
    EXPECT_EQ(found.size(), 4U);
    EXPECT_EQ(found.back(), (TickRange{{48}, {57}}));
}

TEST_F(Surviving, FlipOfEveryByteLosesItsChunkAlone) {
    for (std::size_t at = head_size(); at < bytes().size(); ++at) {
        const std::size_t n = chunk_with(at);
        if (n == kTickChunks) {
            continue;  // the final hashes are gone, which the session does not know
        }
        met_.clear();
        const Ranges found = chunks_from(0, whole().flip_byte(at));
        EXPECT_EQ(found.size(), n < kTickChunks ? 3U : 4U) << at;
        EXPECT_EQ(met_.size(), n < kTickChunks - 1 ? 1U : 0U) << at;
    }
}

TEST_F(Surviving, SeekingADamagedChunkMeetsTheDamage) {
    EXPECT_EQ(chunks_from(20, whole().flip_byte(chunk_at(1) + 30)),
              (Ranges{{{32}, {48}}, {{48}, {57}}}));
    ASSERT_EQ(met_.size(), 1U);
    EXPECT_EQ(met_[0].offset, chunk_at(1));
}

TEST_F(Surviving, SeekingAChunkWithoutAHeaderBeginsBeforeIt) {
    EXPECT_EQ(chunks_from(20, whole().flip_byte(chunk_at(1))),
              (Ranges{{{0}, {16}}, {{32}, {48}}, {{48}, {57}}}));
    EXPECT_EQ(met_.size(), 1U);
}

TEST_F(Surviving, TheExtentIsKnownWithAndWithoutAnIndex) {
    const auto extent = [this](const Corruption& corruption) {
        corruption.save(path("damaged"));
        return SurvivingChunks::open(path("damaged"))->extent().value();
    };
    EXPECT_EQ(extent(whole()), (TickRange{{0}, {57}}));
    EXPECT_EQ(extent(whole().truncate(chunk_at(3))), (TickRange{{0}, {48}}));
    EXPECT_EQ(extent(whole().flip_byte(chunk_at(1)).truncate(chunk_at(3))), (TickRange{{0}, {48}}));
}

}  // namespace
}  // namespace isotick::replay
