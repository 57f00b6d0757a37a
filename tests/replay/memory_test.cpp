// Reading takes the same memory however long the recording is.

#include "counted_allocations.hpp"
#include "fake_session.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

class ReaderMemory : public Scratch {};

TEST_F(ReaderMemory, AMillionTicksInLessThanAMiB) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers take memory of their own";
#endif
    FakeSession session;
    session.head.session.players = 2;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        return Input(std::vector<std::uint8_t>(3, static_cast<std::uint8_t>(tick / 9 + column)));
    };
    session.ticks = 1'000'000;
    ASSERT_TRUE(session.record(path()));
    watch_memory_here();
    auto reader = Reader::open(path());
    std::uint64_t ticks = 0;
    for (auto chunk = reader->next(); chunk && *chunk != nullptr; chunk = reader->next()) {
        ticks += (*chunk)->ticks();
    }
    EXPECT_EQ(ticks, session.ticks);
    EXPECT_LE(most_memory_here(), std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace isotick::replay
