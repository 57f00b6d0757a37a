#include "canonical.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

constexpr std::uint32_t kMany = 1000;

std::unordered_map<std::uint32_t, std::string> counted_map(bool upwards, std::size_t buckets) {
    std::unordered_map<std::uint32_t, std::string> map(buckets);
    for (std::uint32_t i = 0; i < kMany; ++i) {
        const std::uint32_t key = upwards ? i : kMany - 1 - i;
        map.emplace(key, std::to_string(key));
    }
    return map;
}

TEST(UnorderedHash, DoesNotDependOnTheOrderOfIteration) {
    const auto upwards = counted_map(true, 1);
    const auto downwards = counted_map(false, 100'000);
    ASSERT_NE(upwards.begin()->first, downwards.begin()->first);
    EXPECT_EQ(hash_alone(upwards), hash_alone(downwards));
}

TEST(UnorderedHash, SeesEachKeyAndEachValue) {
    const auto original = counted_map(true, 1);
    auto other_value = original;
    other_value[17] = "x";
    auto other_key = original;
    other_key.erase(17);
    other_key.emplace(kMany, original.at(17));
    EXPECT_NE(hash_alone(original), hash_alone(other_value));
    EXPECT_NE(hash_alone(original), hash_alone(other_key));
}

// The definition, computed another way.
TEST(UnorderedHash, IsOfTheElementsByTheHashesOfTheirKeys) {
    const std::unordered_map<std::uint32_t, std::uint32_t> map{{1, 10}, {2, 20}, {3, 30}, {4, 40}};
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> by_rank;
    for (const auto& element : map) {
        by_rank[hash_bytes(std::as_bytes(std::span(&element.first, 1)))] = element;
    }
    std::vector<std::uint32_t> expected{4, 0};  // the size has 64 bits
    for (const auto& [rank, element] : by_rank) {
        expected.insert(expected.end(), {element.first, element.second});
    }
    EXPECT_EQ(hash_alone(map), hash_bytes(std::as_bytes(std::span(expected))));
}

TEST(UnorderedHash, OrdersEqualKeysByTheirValues) {
    std::unordered_multimap<int, std::string> one{{1, "a"}, {1, "b"}, {1, "c"}};
    std::unordered_multimap<int, std::string> other{{1, "c"}, {1, "a"}, {1, "b"}};
    EXPECT_EQ(hash_alone(one), hash_alone(other));
    other.emplace(1, "a");
    EXPECT_NE(hash_alone(one), hash_alone(other));
}

TEST(UnorderedHash, WorksInsideOfItself) {
    using Inner = std::unordered_set<std::string>;
    const std::unordered_map<int, Inner> one{{1, {"a", "b", "c"}}, {2, {"d"}}};
    const std::unordered_map<int, Inner> other{{2, {"d"}}, {1, {"c", "b", "a"}}};
    EXPECT_EQ(hash_alone(one), hash_alone(other));
}

TEST(UnorderedHash, NumbersSharedObjectsInItsOwnOrder) {
    std::unordered_map<int, std::shared_ptr<int>> one(1);
    std::unordered_map<int, std::shared_ptr<int>> other(1);
    for (int i = 0; i < 100; ++i) {
        one.emplace(i, std::make_shared<int>(i));
        other.emplace(99 - i, std::make_shared<int>(99 - i));
    }
    one[100] = one[50];
    other[100] = other[50];
    EXPECT_EQ(hash_alone(one), hash_alone(other));
    other[100] = other[51];
    EXPECT_NE(hash_alone(one), hash_alone(other));
}

struct PointerKey {
    std::shared_ptr<int> id = std::make_shared<int>(1);
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id);
    }
    friend bool operator==(const PointerKey&, const PointerKey&) = default;
};
struct NoHash {
    std::size_t operator()(const PointerKey&) const { return 0; }
};

TEST(UnorderedHash, RefusesKeysThatHoldSharedPointers) {
    const std::unordered_set<PointerKey, NoHash> set{PointerKey{}};
    EXPECT_THROW(hash_alone(set), StateError);
}

}  // namespace
}  // namespace isotick::core::core_tests
