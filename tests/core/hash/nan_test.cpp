#include "canonical.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {

struct Point {
    float x = 1;
    float y = 2;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
};

}  // namespace isotick::core::core_tests

ISOTICK_CONTIGUOUS(isotick::core::core_tests::Point);

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kNan = 0x7fc00000;
constexpr std::uint32_t kOtherNan = 0xffc00001;

float number(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

TEST(NanPolicy, BitsTellsNansApart) {
    EXPECT_NE(hash_alone(number(kNan)), hash_alone(number(kOtherNan)));
}

TEST(NanPolicy, OneMakesThemTheQuietOne) {
    EXPECT_THAT(canonical(number(kOtherNan), Floats::one_nan), ElementsAre(0, 0, 0xc0, 0x7f));
    EXPECT_THAT(canonical(std::bit_cast<double>(0xfff0000000000001U), Floats::one_nan),
                ElementsAre(0, 0, 0, 0, 0, 0, 0xf8, 0x7f));
}

TEST(NanPolicy, OneLeavesOtherNumbersAlone) {
    for (const float value :
         {0.0F, -0.0F, 1.5F, std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min()}) {
        EXPECT_EQ(canonical(value, Floats::one_nan), canonical(value));
    }
}

TEST(NanPolicy, OneReachesIntoVectorsArraysAndMarkedStructs) {
    const auto one_of = [](std::uint32_t bits) {
        const std::vector<float> numbers{1, number(bits)};
        const std::vector<Point> points{{1, 2}, {3, number(bits)}};
        const std::array<float, 2> array{number(bits), 0};
        return std::array{hash_alone(numbers, NanPolicy::one), hash_alone(points, NanPolicy::one),
                          hash_alone(array, NanPolicy::one)};
    };
    EXPECT_EQ(one_of(kNan), one_of(kOtherNan));
    EXPECT_NE(one_of(kNan), one_of(0));
}

struct World {
    std::vector<int> ids{1, 2};
    std::vector<float> heights{1, 2, 3};
    std::vector<Point> points = std::vector<Point>(4);
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ids), CEREAL_NVP(heights), CEREAL_NVP(points));
    }
};

TEST(FindNan, SaysNothingWhereThereIsNone) {
    EXPECT_EQ(find_nan(World{}), std::nullopt);
}

TEST(FindNan, GivesThePathOfTheFirst) {
    World world;
    world.points[2].y = number(kOtherNan);
    EXPECT_EQ(find_nan(world), "points[2].y");
    world.heights[1] = number(kNan);
    EXPECT_EQ(find_nan(world), "heights[1]");
}

}  // namespace
}  // namespace isotick::core::core_tests
