// Fields picked from streams that are damaged or hostile: errors with an offset, nothing worse.

#include "states.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/field_writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::HasSubstr;

struct DamagedSample {
    std::vector<Unit> units = std::vector<Unit>(2);
    std::map<std::string, Vec2> by_name = {{"ann", {1, 2}}, {"bob", {3, 4}}};
    std::vector<Entity> ships = std::vector<Entity>(2);
    std::vector<float> numbers = {1, 2, 3};
    std::variant<int, std::string> mode = "x";
    std::shared_ptr<int> shared = std::make_shared<int>(1);
    std::shared_ptr<int> again = shared;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(by_name), CEREAL_NVP(ships), CEREAL_NVP(numbers),
                CEREAL_NVP(mode), CEREAL_NVP(shared), CEREAL_NVP(again));
    }
};

constexpr std::array kPatterns = {
    "", "units[1].velocity.y", "by_name[\"bob\"]", "ships[*].id", "numbers[2]", "nothing.at.all"};

Result<FieldSelection> select(std::span<const std::byte> fields, const char* pattern) {
    return select_fields(fields, FieldPattern::parse(pattern).value(), [](const auto&) {});
}

TEST(FieldSelectionDamage, AStreamThatEndsEarlyIsAnErrorWhereverItEnds) {
    const Bytes good = fields_of(DamagedSample{});
    for (const char* pattern : kPatterns) {
        for (std::size_t size = 0; size < good.size(); ++size) {
            const auto selected = select(std::span(good).first(size), pattern);
            ASSERT_FALSE(selected) << pattern << " " << size;
            EXPECT_EQ(selected.error().code, ErrorCode::damaged);
            EXPECT_TRUE(selected.error().offset.has_value());
        }
    }
}

TEST(FieldSelectionDamage, WhatSelectsEverythingRefusesWhatACheckRefuses) {
    const Bytes good = fields_of(DamagedSample{});
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
            Bytes bad = good;
            bad[i] ^= static_cast<std::byte>(flip);
            const bool is_good = check_fields(bad).has_value();
            for (const char* pattern : kPatterns) {
                EXPECT_EQ(select(bad, pattern).has_value(), is_good)
                    << pattern << ": byte " << i << " flipped by " << flip;
            }
        }
    }
}

Bytes stream(std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

TEST(FieldSelectionDamage, SizesThatLieAreRefused) {
    for (const int token : {0x12, 0x13, 0x19, 0x1a}) {
        const Bytes lie = stream({1, token, 0xff, 0xff, 0xff, 0xff, 0x0f, 0});
        EXPECT_THAT(select(lie, "").error().message, HasSubstr("claims 4294967295 values"));
    }
    const Bytes lie = stream({1, 0x1c, 0x23, 0xff, 0xff, 0xff, 0xff, 0x0f, 0});
    EXPECT_THAT(select(lie, "[7]").error().message, HasSubstr("claims"));
}

TEST(FieldSelectionDamage, NestingThatIsTooDeepIsRefused) {
    for (const int token : {0x10, 0x17}) {
        Bytes bytes(100'000, static_cast<std::byte>(token));
        bytes[0] = std::byte{1};
        EXPECT_THAT(select(bytes, "").error().message, HasSubstr("nested too deeply")) << token;
        EXPECT_THAT(select(bytes, "a.b").error().message, HasSubstr("nested too deeply")) << token;
    }
}

}  // namespace
}  // namespace isotick::core
