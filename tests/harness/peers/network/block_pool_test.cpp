// Bytes are kept as they are, in memory that is used again.

#include "peers/simulated_network.hpp"
#include "traffic.hpp"

#include <set>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using tests::payload;

std::vector<std::byte> released(BlockPool& pool, BlockPool::Chain chain, std::size_t size) {
    std::vector<std::byte> bytes(size);
    pool.release(chain, bytes);
    return bytes;
}

TEST(BlockPool, KeepsBytesOfAnySize) {
    BlockPool pool;
    std::vector<BlockPool::Chain> chains;
    for (std::size_t size = 0; size < 300; ++size) {
        chains.push_back(pool.keep(payload(size, size)));
    }
    for (std::size_t size = 0; size < 300; ++size) {
        EXPECT_EQ(released(pool, chains[size], size), payload(size, size));
    }
}

TEST(BlockPool, UsesMemoryAgain) {
    BlockPool pool;
    const auto first = pool.keep(payload(1, 200));
    released(pool, first, 200);
    std::set<BlockPool::Chain> chains;
    for (int i = 0; i < 4; ++i) {
        chains.insert(pool.keep(payload(1, 60)));
    }
    EXPECT_EQ(*chains.rbegin(), 3U) << "four blocks as before, and no fifth one";
    EXPECT_EQ(chains.size(), 4U);
    EXPECT_EQ(pool.keep(payload(1, 60)), 4U);
}

}  // namespace
}  // namespace isotick::harness
