#include "fake_session.hpp"
#include "scratch.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

struct Shape {
    std::uint32_t players;
    std::uint64_t ticks;
    std::uint32_t hash_every;
    std::uint32_t parts;
    std::uint32_t parts_every;
    bool idle;

    friend void PrintTo(const Shape& shape, std::ostream* out) {
        *out << shape.players << "players_" << shape.ticks << "ticks_" << shape.hash_every
             << "stride_" << shape.parts << "parts_" << shape.parts_every << "stride_"
             << (shape.idle ? "idle" : "busy");
    }
};

class RoundTrip : public Scratch, public testing::WithParamInterface<Shape> {};

FakeSession session_of(const Shape& shape) {
    FakeSession session;
    session.head.session.players = shape.players;
    session.head.hash_every = shape.hash_every;
    session.head.parts_every = shape.parts_every;
    session.set_parts(shape.parts);
    session.ticks = shape.ticks;
    if (!shape.idle) {
        session.input = mixed_input;
    }
    return session;
}

TEST_P(RoundTrip, GivesBackEveryTick) {
    const FakeSession session = session_of(GetParam());
    const auto recorded = session.record(path());
    ASSERT_TRUE(recorded) << describe(recorded.error());

    const ReadThrough read = read_through(path(), session);

    EXPECT_FALSE(read.error) << describe(*read.error);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_EQ(read.ticks, session.ticks);
    EXPECT_FALSE(read.damage) << read.damage->reason;
    EXPECT_FALSE(read.tail_damage) << read.tail_damage->reason;
    EXPECT_TRUE(read.saw_last);
    EXPECT_TRUE(read.has_tail);
}

TEST_P(RoundTrip, GivesBackEveryChunkInAnyOrder) {
    const FakeSession session = session_of(GetParam());
    ASSERT_TRUE(session.record(path()));
    auto reader = Reader::open(path());
    ASSERT_TRUE(reader);
    const std::uint64_t count = reader->chunk_count().value();
    for (std::uint64_t n = count; n-- > 0;) {
        const auto chunk = reader->chunk(n);
        ASSERT_TRUE(chunk) << describe(chunk.error());
        EXPECT_EQ((*chunk)->first_tick().value, n * chunk_ticks(session.head.session.rate));
        EXPECT_EQ(session.mismatch(**chunk), "");
        EXPECT_EQ((*chunk)->is_last(), n + 1 == count);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RoundTrip,
    testing::Values(Shape{0, 0, 1, 1, 60, false}, Shape{0, 1, 1, 1, 60, true},
                    Shape{0, 200, 1, 1, 60, false}, Shape{1, 64, 1, 1, 60, false},
                    Shape{2, 128, 60, 3, 60, false}, Shape{2, 129, 60, 3, 60, false},
                    Shape{3, 500, 7, 2, 60, false}, Shape{4, 500, 60, 5, 7, false},
                    Shape{5, 120, 60, 3, 60, false}, Shape{8, 300, 1000, 2, 1000, false},
                    Shape{64, 300, 1, 4, 1, false}, Shape{64, 300, 1, 256, 60, true},
                    Shape{4096, 70, 1, 1, 60, true}, Shape{4096, 66, 1, 1, 60, false}),
    testing::PrintToStringParamName());

class RoundTripOf : public Scratch {};

TEST_F(RoundTripOf, TellsAbsentFromEmpty) {
    FakeSession session;
    session.head.session.players = 1;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        return (tick + column) % 2 == 0 ? Input() : Input(std::vector<std::uint8_t>());
    };
    ASSERT_TRUE(session.record(path()));
    EXPECT_EQ(read_through(path(), session).mismatch, "");
}

TEST_F(RoundTripOf, LongestInputs) {
    FakeSession session;
    session.head.session.players = 2;
    session.ticks = 70;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        return Input(std::vector<std::uint8_t>(ISOTICK_LONGEST_INPUT,
                                               static_cast<std::uint8_t>(tick * 3 + column)));
    };
    ASSERT_TRUE(session.record(path()));
    const ReadThrough read = read_through(path(), session);
    EXPECT_EQ(read.mismatch, "");
    EXPECT_EQ(read.ticks, 70U);
    // More than 4 MiB a chunk is not compressed.
    EXPECT_LT(std::filesystem::file_size(path()), std::uint64_t{70} * 3 * 67'000);
}

TEST_F(RoundTripOf, EveryField) {
    FakeSession session;
    session.set_rate(240);
    session.ticks = 1000;
    session.head.hash_algorithm = "user:crc64";
    session.head.nan_policy = "quiet";
    session.head.session.players = 3;
    ASSERT_TRUE(session.head.session.config.set("map", "two words"));
    ASSERT_TRUE(session.head.session.config.set("ai", ""));
    ASSERT_TRUE(session.head.notes.set("build", "5bc62e7"));
    ASSERT_TRUE(session.record(path()));
    auto reader = Reader::open(path());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->head(), session.head);
    EXPECT_EQ(reader->next().value()->ticks(), 256U);
}

TEST_F(RoundTripOf, InputsCanBeAskedForInAnyOrder) {
    FakeSession session;
    session.head.session.players = 2;
    session.input = mixed_input;
    session.ticks = 64;
    ASSERT_TRUE(session.record(path()));
    auto reader = Reader::open(path());
    const TickChunk& chunk = **reader->next();
    for (const std::uint32_t i : {63U, 0U, 40U, 39U, 0U}) {
        const Input truth = mixed_input(i, 1);
        const isotick_input& stored = chunk.inputs(i)[1];
        ASSERT_EQ(stored.present != 0, truth.has_value());
        EXPECT_TRUE(!truth || std::equal(truth->begin(), truth->end(), stored.data));
    }
}

}  // namespace
}  // namespace isotick::replay
