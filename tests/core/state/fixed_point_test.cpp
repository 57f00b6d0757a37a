// Fixed-point numbers as fields: from C++ and from C, and what differs between two of them.

#include "visited.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/hash_archive.hpp>

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::states {

// As games have them: a class around an integer, with or without a name for it; a template.
struct Fixed {
    std::int32_t raw = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(raw));
    }
    friend bool operator==(const Fixed&, const Fixed&) = default;
};

template <int kBits>
struct Wide {
    std::int64_t raw = 0;
    template <class Archive>
    std::int64_t save_minimal(const Archive&) const {
        return raw;
    }
    template <class Archive>
    void load_minimal(const Archive&, const std::int64_t& value) {
        raw = value;
    }
};

struct Angle {
    std::uint16_t turns = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(turns);
    }
};

// Not what ISOTICK_FIXED says they are.
struct TwoIntegers : Fixed {
    template <class Archive>
    void serialize(Archive& archive) {
        archive(raw, raw);
    }
};
struct NoInteger {
    float raw = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(raw);
    }
};
struct Nothingness {
    template <class Archive>
    void serialize(Archive&) {}
};
struct Nested {
    struct Raw {
        int value = 0;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(value);
        }
    } raw;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(raw);
    }
};
struct TooFewBits : Angle {};

}  // namespace isotick::core::states

ISOTICK_FIXED(isotick::core::states::Fixed, 16);
ISOTICK_FIXED(isotick::core::states::Angle, 16);
ISOTICK_FIXED(isotick::core::states::TwoIntegers, 16);
ISOTICK_FIXED(isotick::core::states::NoInteger, 16);
ISOTICK_FIXED(isotick::core::states::Nothingness, 16);
ISOTICK_FIXED(isotick::core::states::Nested, 16);
ISOTICK_FIXED(isotick::core::states::TooFewBits, 17);
template <int kBits>
struct isotick::core::FixedPoint<isotick::core::states::Wide<kBits>> {
    static constexpr unsigned kFractionBits = kBits;
};

namespace isotick::core {
namespace {

using namespace states;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct FixedPointWorld {
    Fixed x;
    Wide<32> wide;
    Angle angle;
    std::vector<Fixed> heights = std::vector<Fixed>(200);
    std::map<std::string, Fixed> speeds;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(wide), CEREAL_NVP(angle), CEREAL_NVP(heights),
                CEREAL_NVP(speeds));
    }
};

template <class A, class B>
FieldDifferences found(const A& before, const B& after) {
    return compare_fields(fields_of(before), fields_of(after), 100).value();
}

std::vector<std::string> fixed_point_lines(const FieldDifferences& differences) {
    std::vector<std::string> texts;
    for (const FieldDifference& difference : differences.listed) {
        texts.push_back(to_string(difference));
    }
    return texts;
}

TEST(FixedPoint, DifferencesAreCountedInUnits) {
    FixedPointWorld before;
    FixedPointWorld after;
    before.x.raw = -11231702;
    after.x.raw = -11231701;
    before.wide.raw = std::int64_t{3} << 31U;
    after.wide.raw = before.wide.raw + 3;
    before.angle.turns = 0x8000;
    after.angle.turns = 0x4000;
    after.heights[170].raw = 98304;
    before.speeds["ann"].raw = 65536;
    after.speeds["ann"].raw = -32768;
    EXPECT_THAT(fixed_point_lines(found(before, after)),
                ElementsAre("x  -171.382171630859375 → -171.3821563720703125  "
                            "(1 unit of 2^-16, -11231702 → -11231701)",
                            "wide  1.5 → 1.50000000069849193096160888671875  "
                            "(3 units of 2^-32, 6442450944 → 6442450947)",
                            "angle  0.5 → 0.25  (16384 units of 2^-16, 32768 → 16384)",
                            "heights[170]  0 → 1.5  (98304 units of 2^-16, 0 → 98304)",
                            "speeds[\"ann\"]  1 → -0.5  (98304 units of 2^-16, 65536 → -32768)"));
    const FieldDifference first = found(before, after).listed.front();
    EXPECT_EQ(first.fixed->units, 1);
    EXPECT_EQ(first.fixed->fraction_bits, 16);
    EXPECT_EQ(first.ulps, std::nullopt);
    EXPECT_THAT(found(before, before).listed, IsEmpty());
}

TEST(FixedPoint, HashesAndSnapshotsAreThoseOfTheInteger) {
    const Fixed fixed{98304};
    const std::int32_t plain = 98304;
    HashSink sink;
    hash_state(std::pair(fixed, 0), sink);
    const auto hash = sink.parts().front().hash;
    hash_state(std::pair(plain, 0), sink);
    EXPECT_EQ(sink.parts().front().hash, hash);
    FixedPointWorld before;
    before.x.raw = 5;
    FixedPointWorld loaded;
    load(loaded, saved(before));
    EXPECT_EQ(loaded.x.raw, 5);
}

// The text of a fixed-point number in a stream by hand.
std::string shown(unsigned fraction_bits, unsigned token, std::uint64_t raw, unsigned size) {
    Bytes stream = {std::byte{1}, std::byte{0x1d}, static_cast<std::byte>(fraction_bits),
                    static_cast<std::byte>(token)};
    for (unsigned i = 0; i < size; ++i) {
        stream.push_back(static_cast<std::byte>(raw >> (8 * i)));
    }
    stream.push_back(std::byte{0});
    std::string text;
    const auto read =
        select_fields(stream, FieldPattern::parse("").value(), [&](const SelectedField& field) {
            EXPECT_EQ(field.type, "fixed-point number");
            text = value_of(field);
        });
    return read ? text : "damaged: " + read.error().message;
}

TEST(FixedPoint, TextIsExact) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(shown(16, 0x26, 0, 4), "0");
    EXPECT_EQ(shown(16, 0x26, 1, 4), "0.0000152587890625");
    EXPECT_EQ(shown(16, 0x26, kMost, 4), "-0.0000152587890625");
    EXPECT_EQ(shown(16, 0x26, 0x80000000U, 4), "-32768");
    EXPECT_EQ(shown(16, 0x26, 0x7fffffffU, 4), "32767.9999847412109375");
    EXPECT_EQ(shown(32, 0x26, 0x80000000U, 4), "-0.5");
    EXPECT_EQ(shown(4, 0x20, 0xffU, 1), "15.9375");
    EXPECT_EQ(shown(8, 0x24, 0x80U, 1), "-0.5");
    EXPECT_EQ(shown(64, 0x23, std::uint64_t{1} << 63U, 8), "0.5");
    EXPECT_EQ(shown(64, 0x27, std::uint64_t{1} << 63U, 8), "-0.5");
    EXPECT_EQ(shown(1, 0x23, kMost, 8), "9223372036854775807.5");
    EXPECT_EQ(shown(64, 0x23, kMost, 8),
              "0.9999999999999999999457898913757247782996273599565029144287109375");
}

TEST(FixedPoint, StreamsThatMakeNoSenseAreRefused) {
    for (const auto& [fraction_bits, token] :
         std::vector<std::pair<unsigned, unsigned>>{{0, 0x26}, {33, 0x26}, {16, 0x28}, {1, 0x2a}}) {
        EXPECT_THAT(shown(fraction_bits, token, 0, 4), HasSubstr("damaged: ")) << fraction_bits;
    }
    EXPECT_THAT(shown(16, 0x26, 0, 3), HasSubstr("damaged: "));
}

TEST(FixedPoint, AnotherTypeIsADifference) {
    const Bytes before = visited_fields([](isotick_visitor* v) {
                             std::int32_t value = 98304;
                             isotick_fixed32(v, "x", &value, 16);
                         }).bytes;
    const Bytes after = visited_fields([](isotick_visitor* v) {
                            std::int32_t value = 6144;
                            isotick_fixed32(v, "x", &value, 12);
                        }).bytes;
    EXPECT_THAT(fixed_point_lines(compare_fields(before, after, 9).value()),
                ElementsAre("x  1.5 → 1.5  (i32/2^16 → i32/2^12)"));
}

TEST(FixedPoint, OfTypesThatAreNoneIsToldWhereItIs) {
    const auto why = [](const auto& state) { return thrown_by([&] { fields_of(state); }); };
    EXPECT_THAT(why(std::pair(0, TwoIntegers{})), HasSubstr("must serialize one integer"));
    EXPECT_THAT(why(std::pair(0, NoInteger{})), HasSubstr("must serialize one integer"));
    EXPECT_THAT(why(std::pair(0, Nothingness{})), HasSubstr("must serialize one integer"));
    EXPECT_THAT(why(std::pair(0, Nested{})), HasSubstr("must serialize one integer"));
    EXPECT_THAT(why(std::pair(0, TooFewBits{})), HasSubstr("must serialize one integer"));
}

TEST(FixedPoint, TheVisitorShowsWhatCppDoes) {
    Fixed x{-11231702};
    Wide<32> wide{std::int64_t{3} << 31U};
    const auto visit = [&](isotick_visitor* v) {
        isotick_fixed32(v, "x", &x.raw, 16);
        isotick_fixed64(v, "wide", &wide.raw, 32);
    };
    struct Twin {
        Fixed x;
        Wide<32> wide;
        void save(FieldArchive& archive) const { archive(CEREAL_NVP(x), CEREAL_NVP(wide)); }
    };
    const Bytes twin = fields_of(Twin{x, wide});
    EXPECT_THAT(compare_fields(visited_fields(visit).bytes, twin, 9).value().listed, IsEmpty());
    const Parts fixed = visited_hash(visit).parts;
    const Parts plain = visited_hash([&](isotick_visitor* v) {
                            isotick_i32(v, "x", &x.raw);
                            isotick_i64(v, "wide", &wide.raw);
                        }).parts;
    EXPECT_EQ(fixed, plain);
    const Visited saved = visited_save(visit);
    x = {};
    wide = {};
    EXPECT_EQ(visited_load(visit, saved.bytes), "");
    EXPECT_EQ(x.raw, -11231702);
    EXPECT_EQ(wide.raw, std::int64_t{3} << 31U);
    EXPECT_EQ(
        visited_fields([&](isotick_visitor* v) { isotick_fixed32(v, "x", &x.raw, 33); }).failure,
        "a fixed-point number has no bits, or too many, after its point");
}

}  // namespace
}  // namespace isotick::core
