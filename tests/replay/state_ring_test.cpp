#include "counted_allocations.hpp"
#include "scratch.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/replay/state_ring.hpp>

#include <string>
#include <vector>

#include <cereal/cereal.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Ball {
    double height = 0;
    double velocity = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(height), CEREAL_NVP(velocity));
    }
};

class StateRingTest : public Scratch {
  protected:
    void keep(std::uint64_t ticks_done) {
        const Ball ball{.height = static_cast<double>(ticks_done)};
        core::write_fields(ball, ring_.begin(ticks_done, {ticks_done * 3}));
    }

    StateRing ring_{"ball", 3};
};

TEST_F(StateRingTest, KeepsTheLastStates) {
    EXPECT_THAT(ring_.kept(), IsEmpty());
    for (std::uint64_t ticks_done = 0; ticks_done < 5; ++ticks_done) {
        keep(ticks_done);
    }
    EXPECT_THAT(ring_.kept(), ElementsAre(2, 3, 4));
}

TEST_F(StateRingTest, ForgetsWhatARollbackUndid) {
    for (const std::uint64_t ticks_done : {4U, 5U, 6U, 5U}) {
        keep(ticks_done);
    }
    EXPECT_THAT(ring_.kept(), ElementsAre(4, 5));
}

TEST_F(StateRingTest, WritesAStateDumpOfTheStateThatWasAskedFor) {
    for (const std::uint64_t ticks_done : {7U, 8U, 9U}) {
        keep(ticks_done);
    }
    ASSERT_TRUE(ring_.write(8, path("8.state")));
    const auto bytes = read_bytes(path("8.state"));
    const auto dump = core::read_state_dump(bytes);
    ASSERT_TRUE(dump);
    EXPECT_EQ(dump->head.simulation, "ball");
    EXPECT_EQ(dump->head.tick, 8U);
    EXPECT_EQ(dump->head.hash, 24U);
    EXPECT_EQ(dump->head.hash_algorithm, core::kHashAlgorithm);
    StateRing other("ball", 1);
    core::write_fields(Ball{.height = 8}, other.begin(8, {24}));
    ASSERT_TRUE(other.write(8, path("other.state")));
    EXPECT_EQ(bytes, read_bytes(path("other.state")));
}

TEST_F(StateRingTest, RefusesAStateThatIsNotKept) {
    keep(1);
    const auto written = ring_.write(2, path("2.state"));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, core::ErrorCode::usage);
    EXPECT_THAT(written.error().message, HasSubstr("2 ticks made is not kept"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(StateRingTest, RefusesHalfAFieldStream) {
    const std::vector<std::byte> half(4, std::byte{1});
    ASSERT_TRUE(ring_.keep(1, {}, half));
    EXPECT_THAT(ring_.write(1, path("1.state")).error().message,
                HasSubstr("not a whole field stream"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(StateRingTest, ReplacesNoFile) {
    keep(1);
    write_bytes(path("1.state"), {std::byte{7}});
    EXPECT_EQ(ring_.write(1, path("1.state")).error().code, core::ErrorCode::usage);
    EXPECT_EQ(read_bytes(path("1.state")).size(), 1U);
}

TEST_F(StateRingTest, AllocatesNothingOnceItIsFull) {
    const std::vector<std::byte> fields(1000);
    const auto keep_some = [&](std::uint64_t first) {
        for (std::uint64_t ticks_done = first; ticks_done < first + 10; ++ticks_done) {
            ASSERT_TRUE(ring_.keep(ticks_done, {}, fields));
        }
    };
    keep_some(0);
    const std::uint64_t before = allocations_here();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "nobody counts under a sanitizer";
#endif
    ASSERT_GT(before, 0U);
    keep_some(10);
    EXPECT_EQ(allocations_here(), before);
}

}  // namespace
}  // namespace isotick::replay
