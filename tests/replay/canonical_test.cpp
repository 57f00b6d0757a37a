// A session has one sequence of changes, and so one digest: neighbouring runs differ. Whatever
// looks at a file says the same of one that breaks that rule.

#include "hand_made.hpp"
#include "scratch.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/repair.hpp>

#include <ostream>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using core::TickDt;

TickDt canonical_dt(std::uint64_t numerator, std::uint64_t denominator) {
    return TickDt::make(numerator, denominator).value();
}

const Input kSeven = std::vector<std::uint8_t>{7};

// Player 0 is absent for four ticks and then sends a 7; the world is always absent.
MadeChunk one_change() {
    MadeChunk chunk;
    chunk.inputs = bytes_of({0, 1 << 2, 3, 0, 2, 7, 1});
    chunk.counted = {{4, 0, kSeven}};
    return chunk;
}

// Nobody plays. Four ticks last 1/30 s, the others 2/30 s.
MadeChunk two_dts() {
    MadeChunk chunk;
    chunk.inputs = bytes_of({2});
    chunk.dts = bytes_of({1 << 2 | 1, 3, 30, 1, 2});
    chunk.own_dts.assign(4, canonical_dt(1, 30));
    chunk.own_dts.resize(16, canonical_dt(2, 30));
    return chunk;
}

struct Twin {
    const char* name;
    MadeChunk canonical;
    MadeChunk other;  // the same session otherwise

    friend void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.name; }
};

class CanonicalChunk : public Scratch, public testing::WithParamInterface<Twin> {
  protected:
    CanonicalChunk() {
        write_bytes(path("a"), made_recording(made_head(1), {GetParam().canonical}));
        write_bytes(path("b"), made_recording(made_head(1), {GetParam().other}));
    }
};

Twin with_inputs(const char* name, const Bytes& block, std::vector<CountedInput> counted) {
    Twin twin{name, one_change(), one_change()};
    twin.other.inputs = block;
    twin.other.counted = std::move(counted);
    return twin;
}

Twin with_dts(const char* name, const Bytes& block) {
    Twin twin{name, two_dts(), two_dts()};
    twin.other.dts = block;
    return twin;
}

using OtherForm = CanonicalChunk;

TEST_P(OtherForm, IsTheSameSessionWithTheSameDigest) {
    const auto a = survey(path("a"));
    const auto b = survey(path("b"));
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->ticks, 16U);
    EXPECT_TRUE(b->damages.empty());
    EXPECT_TRUE(b->finished);
    EXPECT_EQ(a->session_digest, b->session_digest);
    EXPECT_TRUE(compare(path("a"), path("b"))->identical());
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, OtherForm,
    testing::Values(with_inputs("StartsAsABitmap", bytes_of({0, 1 << 2 | 2, 8, 0, 0, 2, 7, 1}),
                                {{4, 0, kSeven}}),
                    with_dts("StartsOfDtsAsABitmap", bytes_of({1 << 2 | 3, 8, 0, 30, 1, 2})),
                    with_dts("ADenominatorEach", bytes_of({1 << 2, 3, 30, 60, 1, 4}))),
    testing::PrintToStringParamName());

using EqualRuns = CanonicalChunk;

TEST_P(EqualRuns, AreMalformedToTheReader) {
    auto reader = Reader::open(path("b"));
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->next().value(), nullptr);
    ASSERT_TRUE(reader->damage());
    EXPECT_TRUE(reader->damage()->reason.ends_with("of a chunk are malformed"));
}

TEST_P(EqualRuns, AreTheSameDamageToSurveyAndRepair) {
    auto reader = Reader::open(path("b"));
    ASSERT_EQ(reader->next().value(), nullptr);
    const auto surveyed = survey(path("b"));
    ASSERT_TRUE(surveyed);
    EXPECT_EQ(surveyed->damages, std::vector<Damage>{*reader->damage()});
    EXPECT_TRUE(surveyed->surviving.empty());
    const auto repaired = repair(path("b"), path("out"));
    ASSERT_TRUE(repaired);
    ASSERT_EQ(repaired->skipped.size(), 1U);
    EXPECT_EQ(repaired->skipped[0].offset, reader->damage()->offset);
    EXPECT_EQ(repaired->skipped[0].reason, reader->damage()->reason);
    EXPECT_EQ(survey(path("out"))->ticks, 0U);
}

TEST_P(EqualRuns, AreNotIdenticalToTheSameSessionWithoutThem) {
    const auto comparison = compare(path("a"), path("b"));
    ASSERT_TRUE(comparison);
    EXPECT_FALSE(comparison->identical());
    EXPECT_TRUE(comparison->b.damage);
    EXPECT_EQ(comparison->b.ticks, 0U);
}

// With the digest over changes of value, and with the one over runs.
INSTANTIATE_TEST_SUITE_P(
    Blocks, EqualRuns,
    testing::Values(
        with_inputs("OfBytes", bytes_of({0, 2 << 2, 3, 3, 0, 2, 2, 0, 7, 1}), {{4, 0, kSeven}}),
        with_inputs("OfBytesCounted", bytes_of({0, 2 << 2, 3, 3, 0, 2, 2, 0, 7, 1}),
                    {{4, 0, kSeven}, {8, 0, kSeven}}),
        with_inputs("OfAbsence", bytes_of({0, 2 << 2, 1, 1, 0, 0, 2, 7, 1}), {{4, 0, kSeven}}),
        with_inputs("OfAbsenceCounted", bytes_of({0, 2 << 2, 1, 1, 0, 0, 2, 7, 1}),
                    {{2, 0, Input()}, {4, 0, kSeven}}),
        with_inputs("OfAbsenceAllTheTime", bytes_of({0, 1 << 2, 3, 0, 2, 7, 0, 1, 0}),
                    {{4, 0, kSeven}}),
        with_dts("OfDts", bytes_of({2 << 2 | 1, 3, 3, 30, 1, 2, 0})),
        with_dts("OfDtsInOtherTerms", bytes_of({2 << 2, 3, 3, 30, 30, 15, 1, 2, 1}))),
    testing::PrintToStringParamName());

// Sessions that differ in one thing, or in nothing.
std::vector<FakeSession> variants() {
    FakeSession base;
    base.head.session.players = 2;
    base.input = mixed_input;
    base.ticks = 300;
    base.set_parts(3);
    std::vector<FakeSession> all(5, base);
    all[1].input = [](std::uint64_t tick, std::uint32_t column) {
        return tick == 250 && column == 1 ? Input() : mixed_input(tick, column);
    };
    all[2].dt = [](std::uint64_t tick) {
        return tick == 100 ? std::optional(canonical_dt(1, 7)) : std::nullopt;
    };
    all[3].part_hash = [original = base.part_hash](std::uint64_t done, std::uint32_t part) {
        return original(done, part) + (done == 40 ? 1 : 0);
    };
    return all;
}

class ComparedDigests : public Scratch {
  protected:
    // Whether diff says so, and whether all digests are the same.
    void expect_identical_if_digests_are(const std::string& a, const std::string& b) {
        const auto comparison = compare(path(a), path(b));
        const auto survey_a = survey(path(a));
        const auto survey_b = survey(path(b));
        ASSERT_TRUE(comparison && survey_a && survey_b);
        EXPECT_EQ(comparison->identical(), survey_a->session_digest == survey_b->session_digest &&
                                               survey_a->hash_digest == survey_b->hash_digest)
            << a << ", " << b;
    }

    // Without its tail, so that diff reads it through.
    void cut(const std::string& from, const std::string& to) {
        Corruption file(read_bytes(path(from)));
        const auto chunks = file.chunks();
        file.truncate(chunks[chunks.size() - 2]).save(path(to));
    }
};

TEST_F(ComparedDigests, AreTheSameIfAndOnlyIfIdentical) {
    const std::vector<FakeSession> sessions = variants();
    for (std::size_t n = 0; n < sessions.size(); ++n) {
        ASSERT_TRUE(sessions[n].record(path(std::to_string(n))));
        cut(std::to_string(n), std::to_string(n) + "cut");
    }
    for (std::size_t a = 0; a < sessions.size(); ++a) {
        for (std::size_t b = 0; b < sessions.size(); ++b) {
            expect_identical_if_digests_are(std::to_string(a), std::to_string(b));
            expect_identical_if_digests_are(std::to_string(a) + "cut", std::to_string(b) + "cut");
        }
    }
}

// Parts that belong to another state than the state hash.
TEST_F(ComparedDigests, ArePartHashesToo) {
    for (const std::uint64_t part : {1U, 2U}) {
        FakeSession session = variants().front();
        session.head.parts_every = 1;
        auto writer = session.create(path(std::to_string(part)));
        ASSERT_TRUE(writer);
        const std::vector<isotick_input> nobody{
            {0, 0, 0, nullptr}, {1, 0, 0, nullptr}, {ISOTICK_WORLD, 0, 0, nullptr}};
        const std::vector<core::PartHash> parts{{part}, {3}, {4}};
        const TickHashes hashes{core::StateHash{9}, parts};
        ASSERT_TRUE(writer->append(nobody, &hashes));
        ASSERT_TRUE(writer->finish(hashes));
        cut(std::to_string(part), std::to_string(part) + "cut");
    }
    expect_identical_if_digests_are("1", "2");
    expect_identical_if_digests_are("1cut", "2cut");
    EXPECT_FALSE(compare(path("1"), path("2"))->identical());
}

// Digests in a chunk that are not those of its ticks.
TEST_F(ComparedDigests, AreNotBelieved) {
    ASSERT_TRUE(variants().front().record(path("a")));
    Corruption forged(read_bytes(path("a")));
    const auto chunks = forged.chunks();
    const std::size_t last = chunks.size() - 4;  // before the final chunk, the index, the end mark
    for (const std::size_t digest : {36U, 20U}) {
        Corruption one = forged;
        one.flip_byte(chunks[last + 1] - digest).fix_chunk_checksums(chunks[last]).save(path("b"));
        const auto comparison = compare(path("a"), path("b"));
        ASSERT_TRUE(comparison);
        EXPECT_FALSE(comparison->identical());
        EXPECT_TRUE(comparison->b.damage);
    }
}

}  // namespace
}  // namespace isotick::replay
