#include "states.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Where find_nan_field finds one in `state`; "none" where it does not.
template <class T>
std::string nan_in(const T& state) {
    return find_nan_field(fields_of(state)).value().value_or("none");
}

template <class T>
struct Named {
    T value;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
};

TEST(NanField, IsNoInfinityAndNoOtherNumber) {
    EXPECT_EQ(nan_in(Named<float>{std::numeric_limits<float>::infinity()}), "none");
    EXPECT_EQ(nan_in(Named<double>{-0.0}), "none");
    EXPECT_EQ(nan_in(Named<std::uint32_t>{0x7fc00000}), "none");
}

TEST(NanField, IsFoundAmongMembersOfElements) {
    std::vector<Unit> units(20);
    units[17].velocity.y = kNan;
    EXPECT_EQ(nan_in(Named<std::vector<Unit>>{units}), "value[17].velocity.y");
}

TEST(NanField, IsFoundInAnArrayOfNumbers) {
    std::vector<double> numbers(9'000);
    numbers[8'999] = -std::numeric_limits<double>::signaling_NaN();
    EXPECT_EQ(nan_in(Named<std::vector<double>>{numbers}), "value[8999]");
}

TEST(NanField, IsFoundInMapsOptionalsVariantsAndBehindPointers) {
    EXPECT_EQ(nan_in(Named<std::map<std::string, float>>{{{"a", 1.0F}, {"b", kNan}}}),
              "value[\"b\"]");
    EXPECT_EQ(nan_in(Named<std::optional<float>>{kNan}), "value");
    EXPECT_EQ(nan_in(Named<std::variant<int, Vec2>>{Vec2{kNan, 0}}), "value.x");
    EXPECT_EQ(nan_in(Named<std::shared_ptr<Vec2>>{std::make_shared<Vec2>(Vec2{0, kNan})}),
              "value.y");
}

TEST(NanField, IsFoundInAKey) {
    EXPECT_EQ(nan_in(Named<std::map<float, int>>{{{kNan, 1}}}), "value[nan]");
}

TEST(NanField, OfABrokenStreamIsAnError) {
    const Bytes whole = fields_of(Named<std::vector<Unit>>{std::vector<Unit>(3)});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto found = find_nan_field(std::span(whole).first(size));
        ASSERT_FALSE(found) << size;
        EXPECT_EQ(found.error().code, ErrorCode::damaged);
    }
}

}  // namespace
}  // namespace isotick::core
