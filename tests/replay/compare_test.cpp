#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using What = SessionDifference::What;

FakeSession base_session(std::uint64_t ticks = 1000) {
    FakeSession session;
    session.head.session.players = 2;
    session.input = mixed_input;
    session.ticks = ticks;
    session.set_parts(3);
    return session;
}

// From `tick` on the hash of `part` differs.
FakeSession diverged(FakeSession session, std::uint64_t tick, std::uint32_t part) {
    session.part_hash = [=, original = session.part_hash](std::uint64_t done, std::uint32_t which) {
        return original(done, which) + (done > tick && which == part ? 1 : 0);
    };
    return session;
}

// At `tick` alone the input of `column` differs.
FakeSession with_input(FakeSession session, std::uint64_t tick, std::uint32_t column) {
    session.input = [=, original = session.input](std::uint64_t now, std::uint32_t which) {
        return now == tick && which == column ? Input(std::vector<std::uint8_t>{1, 2, 3})
                                              : original(now, which);
    };
    return session;
}

// Compared twice: by search, and read through since the copies have no tail.
class RecordingCompare : public Scratch, public testing::WithParamInterface<bool> {
  protected:
    Comparison compare_sessions(const FakeSession& a, const FakeSession& b) {
        record(a, "a");
        record(b, "b");
        auto comparison = compare(path("a"), path("b"), CompareDepth::digests);
        EXPECT_TRUE(comparison) << describe(comparison.error());
        return comparison.value_or(Comparison());
    }

    void record(const FakeSession& session, const std::string& name) {
        const auto recorded = session.record(path(name));
        ASSERT_TRUE(recorded) << describe(recorded.error());
        if (!GetParam()) {
            Corruption cut(read_bytes(path(name)));
            const auto chunks = cut.chunks();
            cut.truncate(chunks[chunks.size() - 2]).save(path(name));
        }
    }
};

TEST_P(RecordingCompare, EqualRecordingsAreIdentical) {
    const Comparison found = compare_sessions(base_session(), base_session());
    EXPECT_TRUE(found.identical());
    EXPECT_FALSE(found.a_is_prefix());
    EXPECT_FALSE(found.session);
    EXPECT_FALSE(found.hashes);
    EXPECT_EQ(found.searched, GetParam());
    EXPECT_EQ(found.a.ticks, 1000U);
    EXPECT_TRUE(found.a.finished);
    EXPECT_GE(found.hashes_compared, 1001U);
}

TEST_P(RecordingCompare, EmptyRecordingsAreIdentical) {
    EXPECT_TRUE(compare_sessions(base_session(0), base_session(0)).identical());
}

TEST_P(RecordingCompare, NotesDoNotMatter) {
    FakeSession noted = base_session();
    ASSERT_TRUE(noted.head.notes.set("build", "abc"));
    EXPECT_TRUE(compare_sessions(base_session(), noted).identical());
}

TEST_P(RecordingCompare, ShorterRecordingIsAPrefix) {
    for (const std::uint64_t ticks : {0U, 1U, 63U, 64U, 65U, 640U, 999U}) {
        const Comparison found = compare_sessions(base_session(ticks), base_session());
        EXPECT_TRUE(found.a_is_prefix()) << ticks;
        EXPECT_FALSE(found.identical()) << ticks;
        EXPECT_EQ(found.a.ticks, ticks);
        std::filesystem::remove(path("a"));
        std::filesystem::remove(path("b"));
    }
}

TEST_P(RecordingCompare, PrefixWithAFinalHashOffTheStride) {
    FakeSession shorter = base_session(640 + 10);
    FakeSession longer = base_session();
    shorter.head.hash_every = longer.head.hash_every = 60;
    EXPECT_TRUE(compare_sessions(longer, shorter).b_is_prefix());
}

TEST_P(RecordingCompare, FindsTheExactTickOfTheFirstHashDifference) {
    for (const std::uint64_t tick : {0U, 1U, 63U, 64U, 500U, 959U, 998U, 999U}) {
        const Comparison found =
            compare_sessions(base_session(), diverged(base_session(), tick, 1));
        ASSERT_TRUE(found.hashes) << tick;
        EXPECT_EQ(found.hashes->tick, core::Tick{tick});
        EXPECT_EQ(found.hashes->a, base_session().state_after(tick + 1));
        EXPECT_NE(found.hashes->a, found.hashes->b);
        EXPECT_EQ(found.hashes->last_equal,
                  tick == 0 ? std::nullopt : std::optional(core::Tick{tick - 1}));
        EXPECT_TRUE(found.hashes->initial_equal);
        EXPECT_FALSE(found.session);
        EXPECT_FALSE(found.identical());
        std::filesystem::remove(path("a"));
        std::filesystem::remove(path("b"));
    }
}

TEST_P(RecordingCompare, NamesThePartsAtTheNearestStoredRow) {
    const Comparison found = compare_sessions(base_session(), diverged(base_session(), 250, 2));
    ASSERT_TRUE(found.hashes);
    EXPECT_TRUE(found.hashes->has_parts);
    EXPECT_EQ(found.hashes->parts_tick, core::Tick{299});
    ASSERT_EQ(found.hashes->parts.size(), 1U);
    EXPECT_EQ(found.hashes->parts[0].name, "part2");
    EXPECT_EQ(found.hashes->parts[0].a, base_session().parts_after(300)[2]);
}

TEST_P(RecordingCompare, NamesThePartsOfTheLastTickIfNoOtherRowIsLeft) {
    const Comparison found = compare_sessions(base_session(), diverged(base_session(), 970, 0));
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.hashes->parts_tick, core::Tick{999});
    ASSERT_EQ(found.hashes->parts.size(), 1U);
    EXPECT_EQ(found.hashes->parts[0].name, "part0");
}

TEST_P(RecordingCompare, NamesThePartsOfARowManyChunksAhead) {
    FakeSession session = base_session();
    session.head.parts_every = 900;
    const Comparison found = compare_sessions(session, diverged(session, 100, 1));
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.hashes->tick, core::Tick{100});
    EXPECT_EQ(found.hashes->parts_tick, core::Tick{899});
    EXPECT_EQ(found.hashes->parts.size(), 1U);
}

TEST_P(RecordingCompare, DifferentInitialStates) {
    FakeSession other = base_session();
    other.part_hash = [](std::uint64_t done, std::uint32_t part) { return mix(done, part); };
    const Comparison found = compare_sessions(base_session(), other);
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.hashes->tick, std::nullopt);
    EXPECT_FALSE(found.hashes->initial_equal);
    EXPECT_EQ(found.hashes->parts.size(), 3U);
}

TEST_P(RecordingCompare, FindsTheFirstDifferentInput) {
    const Comparison found = compare_sessions(base_session(), with_input(base_session(), 777, 1));
    ASSERT_TRUE(found.session);
    EXPECT_EQ(found.session->what, What::input);
    EXPECT_EQ(found.session->tick, core::Tick{777});
    EXPECT_EQ(found.session->player, 1U);
    EXPECT_EQ(found.session->input_a, mixed_input(777, 1));
    EXPECT_EQ(found.session->input_b, Input(std::vector<std::uint8_t>{1, 2, 3}));
    EXPECT_FALSE(found.hashes);
}

TEST_P(RecordingCompare, WorldInputsHaveTheWorldsNumber) {
    const Comparison found = compare_sessions(base_session(), with_input(base_session(), 5, 2));
    ASSERT_TRUE(found.session);
    EXPECT_EQ(found.session->player, ISOTICK_WORLD);
}

TEST_P(RecordingCompare, ReportsInputAndHashDifferencesBoth) {
    const Comparison found =
        compare_sessions(base_session(), diverged(with_input(base_session(), 100, 0), 700, 1));
    ASSERT_TRUE(found.session);
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.session->tick, core::Tick{100});
    EXPECT_EQ(found.hashes->tick, core::Tick{700});
}

TEST_P(RecordingCompare, SessionInfoDiffersInTheStatedOrder) {
    FakeSession other = base_session();
    ASSERT_TRUE(other.head.session.config.set("map", "x"));
    EXPECT_EQ(compare_sessions(base_session(), other).session->what, What::config);
    const auto next = [&] {
        std::filesystem::remove(path("a"));
        std::filesystem::remove(path("b"));
        return compare_sessions(base_session(), other).session->what;
    };
    other.head.session.seed = 1;
    EXPECT_EQ(next(), What::seed);
    other.head.session.players = 3;
    EXPECT_EQ(next(), What::players);
    other.set_rate(50);
    EXPECT_EQ(next(), What::rate);
    other.head.session.simulation = "other";
    EXPECT_EQ(next(), What::simulation);
}

TEST_P(RecordingCompare, FirstDifferentConfigKeyIsNamed) {
    FakeSession a = base_session();
    FakeSession b = base_session();
    ASSERT_TRUE(a.head.session.config.set("c", "1"));
    ASSERT_TRUE(b.head.session.config.set("b", "2"));
    ASSERT_TRUE(b.head.session.config.set("c", "3"));
    const Comparison found = compare_sessions(a, b);
    ASSERT_TRUE(found.session);
    EXPECT_EQ(found.session->config_key, "b");
    EXPECT_EQ(found.session->text_a, std::nullopt);
    EXPECT_EQ(found.session->text_b, "2");
}

TEST_P(RecordingCompare, DifferentSeedsStillHaveTheirHashesCompared) {
    FakeSession other = diverged(base_session(), 321, 0);
    other.head.session.seed = 9;
    const Comparison found = compare_sessions(base_session(), other);
    ASSERT_TRUE(found.session);
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.hashes->tick, core::Tick{321});
}

TEST_P(RecordingCompare, OtherAlgorithmsAreIncomparable) {
    FakeSession other = diverged(base_session(), 1, 1);
    other.head.hash_algorithm = "user:crc64";
    const Comparison found = compare_sessions(base_session(), other);
    EXPECT_NE(found.incomparable.find("user:crc64"), std::string::npos);
    EXPECT_FALSE(found.hashes);
    EXPECT_FALSE(found.session);
    EXPECT_FALSE(found.identical());
    EXPECT_EQ(found.hashes_compared, 0U);
}

TEST_P(RecordingCompare, OtherNanPoliciesAreIncomparable) {
    FakeSession other = base_session();
    other.head.nan_policy = "one";
    const Comparison found = compare_sessions(base_session(), other);
    EXPECT_EQ(found.incomparable, "the hashes treat NaNs differently, bits and one");
    EXPECT_FALSE(found.identical());
}

TEST_P(RecordingCompare, OtherStridesAreComparedWhereBothHaveHashes) {
    FakeSession a = base_session();
    FakeSession b = diverged(base_session(), 100, 1);
    a.head.hash_every = 6;
    b.head.hash_every = 4;
    a.head.parts_every = b.head.parts_every = 240;
    const Comparison found = compare_sessions(a, b);
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.hashes->tick, core::Tick{107});
    EXPECT_EQ(found.hashes->last_equal, core::Tick{95});
    EXPECT_EQ(found.hashes->parts_tick, core::Tick{239});
    EXPECT_FALSE(found.searched);
}

TEST_P(RecordingCompare, LongStridesSayWhichTicksLieBetween) {
    FakeSession session = base_session();
    session.head.hash_every = 250;
    session.head.parts_every = 1000;
    const Comparison found = compare_sessions(session, diverged(session, 600, 1));
    ASSERT_TRUE(found.hashes);
    EXPECT_EQ(found.hashes->tick, core::Tick{749});
    EXPECT_EQ(found.hashes->last_equal, core::Tick{499});
}

TEST_P(RecordingCompare, ComparesIntactPrefixesAndSaysSo) {
    record(base_session(), "a");
    record(base_session(), "b");
    Corruption damaged(read_bytes(path("b")));
    const auto chunks = damaged.chunks();
    // The last one, which is what a search looks at first.
    damaged.flip_byte(chunks[15] + 30).save(path("b"));
    const auto found = compare(path("a"), path("b"));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->b_is_prefix());
    EXPECT_EQ(found->b.ticks, 960U);
    ASSERT_TRUE(found->b.damage);
    EXPECT_EQ(found->b.damage->offset, chunks[15]);
    EXPECT_FALSE(found->b.finished);
    EXPECT_FALSE(found->searched);
}

INSTANTIATE_TEST_SUITE_P(Ways, RecordingCompare, testing::Bool(),
                         [](const auto& way) { return way.param ? "BySearch" : "ReadThrough"; });

class CompareCost : public Scratch {};

TEST_F(CompareCost, ReadsLogarithmicallyManyChunks) {
    FakeSession session;
    session.set_rate(10);
    session.ticks = 16 * 4096;
    ASSERT_TRUE(session.record(path("a")));
    ASSERT_TRUE(diverged(session, 40'000, 0).record(path("b")));
    const auto found = compare(path("a"), path("b"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->hashes->tick, core::Tick{40'000});
    EXPECT_LE(found->a.chunks_read, 15U);  // log2 of 4096, the last, and the one that differs
    EXPECT_LE(found->b.chunks_read, 15U);
}

TEST_F(CompareCost, EqualDigestsCostOneChunk) {
    FakeSession session;
    session.ticks = 10'000;
    ASSERT_TRUE(session.record(path("a")));
    const auto found = compare(path("a"), path("a"), CompareDepth::digests);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->identical());
    EXPECT_TRUE(found->searched);
    EXPECT_EQ(found->a.chunks_read, 1U);
}

class CompareDamaged : public Scratch {
  protected:
    // Expects that `name` is called identical to another only if it is intact, and returns whether
    // it is.
    bool expect_honest(const std::string& a, const std::string& b, bool is_intact) {
        const auto found = compare(path(a), path(b));
        const bool is_identical = found && found->identical();
        EXPECT_TRUE(is_intact || !is_identical) << a << " and " << b;
        EXPECT_FALSE(found && found->differs()) << a << " and " << b;
        return is_identical;
    }
};

TEST_F(CompareDamaged, NoFlippedBitIsCalledIdentical) {
    ASSERT_TRUE(small_session().record(path("whole")));
    const std::vector<std::byte> bytes = read_bytes(path("whole"));
    const std::size_t tail = Corruption(bytes).chunks()[5];
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        SCOPED_TRACE(bit);
        std::vector<std::byte> flipped = bytes;
        flipped[bit / 8] ^= std::byte{1} << bit % 8;
        write_bytes(path("flipped"), flipped);
        const auto looked = survey(path("flipped"));
        const bool is_intact = looked && looked->damages.empty();
        ASSERT_EQ(is_intact, bit / 8 >= tail);  // the tail costs no tick, and is told apart
        bool is_identical = expect_honest("whole", "flipped", is_intact);
        is_identical = expect_honest("flipped", "whole", is_intact) && is_identical;
        is_identical = expect_honest("flipped", "flipped", is_intact) && is_identical;
        ASSERT_EQ(is_identical, is_intact);
        const auto found = compare(path("flipped"), path("whole"));
        ASSERT_TRUE(!is_intact || found->a.tail_damage == looked->tail_damage);
        ASSERT_TRUE(!is_intact || found->a.tail_damage);
    }
}

TEST_F(CompareDamaged, DifferencesAreFoundByDigestsAllTheSame) {
    const FakeSession session = base_session();
    ASSERT_TRUE(session.record(path("a")));
    ASSERT_TRUE(diverged(session, 700, 0).record(path("b")));
    const auto found = compare(path("a"), path("b"));
    ASSERT_TRUE(found && found->hashes);
    EXPECT_EQ(found->hashes->tick, core::Tick{700});
    EXPECT_TRUE(found->searched);
}

}  // namespace
}  // namespace isotick::replay
