#include "read/tail.hpp"

#include "format/chunk_header.hpp"

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

constexpr std::uint64_t kHead = 100;
constexpr std::uint32_t kTailTicks = 16;

Bytes tail_payload(const Bytes& tail) {
    const auto header = decode_chunk_header(std::span(tail).first(kChunkHeaderSize));
    const auto payload = std::span(tail).subspan(kChunkHeaderSize, header->payload_size);
    return {payload.begin(), payload.end()};
}

ChunkIndex index_of(std::uint64_t ticks, std::vector<std::uint64_t> offsets) {
    return {ticks, std::move(offsets)};
}

std::optional<ChunkIndex> decoded(const ChunkIndex& index, std::uint64_t offset) {
    return decode_index(tail_payload(encode_tail(index, kHead, offset)), kHead, offset, kTailTicks);
}

TEST(ChunkIndex, ComesBack) {
    const ChunkIndex index = index_of(40, {100, 190, 270});
    const auto found = decoded(index, 400);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->ticks, 40U);
    EXPECT_EQ(found->offsets, index.offsets);
}

TEST(ChunkIndex, OfNothingComesBack) {
    const auto found = decoded(index_of(0, {}), kHead);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->offsets.empty());
}

TEST(ChunkIndex, OfManyChunksIsSmall) {
    ChunkIndex index;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        index.offsets.push_back(kHead + 500 * i);
    }
    index.ticks = 10'000 * kTailTicks;
    const Bytes tail = encode_tail(index, kHead, kHead + 500 * 10'000);
    EXPECT_LT(tail.size(), 200U);
    EXPECT_EQ(decoded(index, kHead + 500 * 10'000)->offsets, index.offsets);
}

TEST(ChunkIndex, OffsetsBehindTheIndexAreRefused) {
    EXPECT_TRUE(decoded(index_of(32, {100, 190}), 191));
    EXPECT_FALSE(decoded(index_of(32, {100, 190}), 190));
}

TEST(ChunkIndex, OffsetsThatDoNotAscendAreRefused) {
    EXPECT_FALSE(decoded(index_of(32, {100, 100}), 400));
    EXPECT_FALSE(decoded(index_of(48, {100, 190, 150}), 400));
}

TEST(ChunkIndex, TicksThatDoNotFitTheChunksAreRefused) {
    EXPECT_FALSE(decoded(index_of(33, {100, 190}), 400));
    EXPECT_FALSE(decoded(index_of(16, {100, 190}), 400));
}

TEST(ZstdBlock, LongerThanAllowedIsRefused) {
    Compressor compressor;
    const Bytes zeros(1'000'000);
    const auto block = compressor.compress(zeros);
    EXPECT_LT(block.size(), 1000U);
    Decompressor decompressor;
    EXPECT_FALSE(decompressor.decompress(block, zeros.size() - 1));
    EXPECT_TRUE(decompressor.decompress(block, zeros.size()));
}

TEST(ZstdBlock, CutBlocksAreRefused) {
    Compressor compressor;
    const auto block = compressor.compress(Bytes(100));
    Decompressor decompressor;
    for (std::size_t size = 0; size < block.size(); ++size) {
        EXPECT_FALSE(decompressor.decompress(block.first(size), 100)) << size;
    }
}

}  // namespace
}  // namespace isotick::replay
