// Field streams that are damaged or hostile: errors with an offset, nothing worse.

#include "states.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/field_writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::HasSubstr;

struct Everything {
    std::vector<Unit> units = std::vector<Unit>(2);
    std::map<std::string, Vec2> by_name = {{"ann", {1, 2}}, {"bob", {3, 4}}};
    std::vector<Entity> entities = std::vector<Entity>(2);
    std::vector<float> numbers = {1, 2, 3};
    std::optional<int> maybe = 5;
    std::variant<int, std::string> mode = "x";
    std::shared_ptr<int> shared = std::make_shared<int>(1);
    std::shared_ptr<int> again = shared;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(by_name), CEREAL_NVP(entities), CEREAL_NVP(numbers),
                CEREAL_NVP(maybe), CEREAL_NVP(mode), CEREAL_NVP(shared), CEREAL_NVP(again));
    }
};

TEST(FieldDamage, AStreamThatEndsEarlyIsAnErrorWhereverItEnds) {
    const Bytes good = fields_of(Everything{});
    for (std::size_t size = 0; size < good.size(); ++size) {
        const auto cut = std::span(good).first(size);
        EXPECT_FALSE(check_fields(cut)) << size;
        const auto compared = compare_fields(good, cut, 10);
        ASSERT_FALSE(compared) << size;
        EXPECT_EQ(compared.error().code, ErrorCode::damaged);
        EXPECT_TRUE(compared.error().offset.has_value());
    }
}

TEST(FieldDamage, AFlippedByteIsAnErrorOrADifference) {
    const Bytes good = fields_of(Everything{});
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
            Bytes bad = good;
            bad[i] ^= static_cast<std::byte>(flip);
            if (bad[i] == static_cast<std::byte>(FieldToken::long_name)) {
                continue;  // means the same
            }
            const auto there = compare_fields(good, bad, 10);
            const auto back = compare_fields(bad, good, 10);
            const bool noticed = !there || there->total != 0;
            EXPECT_TRUE(noticed) << "byte " << i << " flipped by " << flip;
            EXPECT_EQ(there.has_value(), back.has_value());
        }
    }
}

Bytes stream_of_fields(std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

std::string refusal_of_fields(const Bytes& bytes) {
    const auto checked = check_fields(bytes);
    const auto compared = compare_fields(bytes, bytes, 10);
    EXPECT_FALSE(compared);
    return checked ? "" : checked.error().message;
}

TEST(FieldDamage, SizesThatLieAreRefused) {
    for (const int token : {0x12, 0x13, 0x19, 0x1a}) {
        EXPECT_THAT(
            refusal_of_fields(stream_of_fields({1, token, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})),
            HasSubstr("claims 4294967295 values"))
            << token;
    }
    EXPECT_THAT(
        refusal_of_fields(stream_of_fields({1, 0x1c, 0x23, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})),
        HasSubstr("claims"));
    EXPECT_THAT(refusal_of_fields(stream_of_fields(
                    {1, 0x19, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})),
                HasSubstr("does not end"));
}

TEST(FieldDamage, NestingThatIsTooDeepIsRefused) {
    for (const int token : {0x10, 0x17}) {
        Bytes bytes(100'000, static_cast<std::byte>(token));
        bytes[0] = std::byte{1};
        EXPECT_THAT(refusal_of_fields(bytes), HasSubstr("nested too deeply")) << token;
    }
}

TEST(FieldDamage, NestingBeneathADifferenceIsRefusedToo) {
    Bytes deep(100'000, std::byte{0x17});
    deep[0] = std::byte{1};
    const Bytes flat = stream_of_fields({1, 0x15, 0});
    EXPECT_FALSE(compare_fields(deep, flat, 10));
    EXPECT_FALSE(compare_fields(flat, deep, 10));
}

TEST(FieldDamage, UnknownTokensNamesAndVersionsAreRefused) {
    EXPECT_THAT(refusal_of_fields(stream_of_fields({1, 0x7f, 0})), HasSubstr("expects a type"));
    EXPECT_THAT(refusal_of_fields(stream_of_fields({1, 0x10, 0x02, 0, 0x20, 1, 0x11, 0})),
                HasSubstr("not defined"));
    EXPECT_THAT(refusal_of_fields(stream_of_fields({2, 0x20, 1, 0})), HasSubstr("version 2"));
    EXPECT_THAT(refusal_of_fields(stream_of_fields({1, 0x20, 1, 0, 0})),
                HasSubstr("extra bytes after the only value"));
}

TEST(FieldDamage, AKeyThatIsNestedTooDeeplyIsRefused) {
    Bytes bytes = stream_of_fields({1, 0x13, 1});
    bytes.resize(50'000, std::byte{0x10});
    EXPECT_FALSE(compare_fields(bytes, bytes, 10));
}

}  // namespace
}  // namespace isotick::core
