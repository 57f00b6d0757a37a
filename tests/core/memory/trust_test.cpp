// No address is shown of what may be gone.

#include "memory_support.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/unordered_map.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct TrustedUnit {
    std::uint32_t id = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id));
    }
};

// Owns memory in a way that nobody outside knows.
class Raw {
  public:
    template <class Archive>
    void save(Archive& archive) const {
        archive(cereal::make_nvp("cells", cereal::binary_data(cells_.get(), 4 * sizeof(float))));
    }

  private:
    struct Release {
        void operator()(const float* cells) const { delete[] cells; }
    };
    std::unique_ptr<float[], Release> cells_{new float[4]()};
};

// Shows everything by copies.
struct Copying {
    float radians = 0;
    std::vector<TrustedUnit> units{3};
    std::unique_ptr<TrustedUnit> leader = std::make_unique<TrustedUnit>();
    template <class Archive>
    void save(Archive& archive) const {
        archive(cereal::make_nvp("degrees", radians * 57.0F));
        std::vector<TrustedUnit> copies = units;
        auto number = std::make_unique<std::uint32_t>(leader->id);
        std::optional<TrustedUnit> maybe = *leader;
        archive(cereal::make_nvp("units", copies), cereal::make_nvp("leader", number),
                cereal::make_nvp("maybe", maybe));
    }
};

struct Minimal {
    std::uint32_t raw = 0;
    std::uint32_t unused = 0;
    template <class Archive>
    std::string save_minimal(const Archive&) const {
        return std::to_string(raw);
    }
};

struct Flags {
    unsigned low : 4 = 1;
    unsigned high : 4 = 2;
    template <class Archive>
    void save(Archive& archive) const {
        archive(cereal::make_nvp("low", low + 0U), cereal::make_nvp("high", high + 0U));
    }
};

template <class T>
struct HoldingTrusted {
    T value{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
};

TEST(MemoryTrust, CopiesThatSaveMakesAreNeitherSettableNorAddressed) {
    const auto map = map_of(Copying());
    EXPECT_THAT(settable_paths(map), IsEmpty());
    EXPECT_EQ(at(map, "units[*].id").made_up, 3U);
    EXPECT_EQ(at(map, "degrees").made_up, 1U);
    EXPECT_EQ(at(map, "leader").made_up, 2U);
    EXPECT_EQ(at(map, "maybe.id").made_up, 1U);
    EXPECT_EQ(type_called(map, detail::type_name<TrustedUnit>()).objects, 0U);
}

TEST(MemoryTrust, AnObjectTellsHowManyOfItsValuesAreMadeUp) {
    const auto map = map_of(HoldingTrusted<Flags>());
    EXPECT_EQ(unseen_of<Flags>(map), "0-4 of 1");
    EXPECT_EQ(type_called(map, detail::type_name<Flags>()).made_up, 2U);
}

TEST(MemoryTrust, MemoryThatSomebodyOwnsInAWayOfTheirOwnIsNotAddressed) {
    const auto map = map_of(HoldingTrusted<Raw>());
    EXPECT_THAT(settable_paths(map), IsEmpty());
    EXPECT_EQ(at(map, "value.cells").made_up, 1U);
}

TEST(MemoryTrust, ATypeWithSaveMinimalIsOneValueOfItsWholeSize) {
    const auto map = map_of(HoldingTrusted<Minimal>());
    EXPECT_EQ(map.types.size(), 1U);
    EXPECT_EQ(unseen_of<HoldingTrusted<Minimal>>(map), "");
    EXPECT_EQ(map.paths.size(), 1U);
    EXPECT_EQ(at(map, "value").values, 1U);
    EXPECT_EQ(at(map, "value").settable, 0U);
}

TEST(MemoryTrust, ElementsOfContainersInTheStateAreSettable) {
    const auto settable = [](const auto& state) { return settable_paths(map_of(state)); };
    EXPECT_THAT(settable(HoldingTrusted<std::vector<float>>{{1, 2}}), ElementsAre("value[*]"));
    EXPECT_THAT(settable(HoldingTrusted<std::string>{"text"}), ElementsAre("value[*]"));
    EXPECT_THAT(settable(HoldingTrusted<std::deque<TrustedUnit>>{{{1}}}),
                ElementsAre("value[*].id"));
    EXPECT_THAT(settable(HoldingTrusted<std::map<int, std::vector<TrustedUnit>>>{{{1, {{1}}}}}),
                ElementsAre("value[*][*].id"));
    EXPECT_THAT(settable(HoldingTrusted<std::unordered_map<int, float>>{{{1, 2.0F}}}),
                ElementsAre("value[*]"));
    EXPECT_THAT(settable(HoldingTrusted<std::optional<TrustedUnit>>{TrustedUnit{1}}),
                ElementsAre("value.id"));
    EXPECT_THAT(
        settable(HoldingTrusted<std::shared_ptr<TrustedUnit>>{std::make_shared<TrustedUnit>()}),
        ElementsAre("value.id"));
}

TEST(MemoryTrust, WhatAContainerIsOrderedByIsNotSettable) {
    EXPECT_THAT(settable_paths(map_of(HoldingTrusted<std::set<int>>{{1, 2}})), IsEmpty());
    const auto map = map_of(HoldingTrusted<std::map<int, int>>{{{1, 2}}});
    EXPECT_EQ(at(map, "value[key]").values, 1U);
    EXPECT_EQ(at(map, "value[key]").settable, 0U);
}

TEST(MemoryTrust, BitsThatShareBytesAreNotSettable) {
    const auto map = map_of(HoldingTrusted<std::vector<bool>>{{true, false}});
    EXPECT_THAT(settable_paths(map), IsEmpty());
    EXPECT_EQ(at(map, "value").values, 1U);
}

TEST(MemoryTrust, ASharedObjectIsShownOnce) {
    HoldingTrusted<std::vector<std::shared_ptr<TrustedUnit>>> state;
    state.value.assign(3, std::make_shared<TrustedUnit>());
    const auto map = map_of(state);
    EXPECT_EQ(at(map, "value[*].id").values, 1U);
    EXPECT_EQ(at(map, "value[*].id").samples.at(0).address,
              reinterpret_cast<std::byte*>(&state.value[0]->id));
}

// A temporary pointer to an object of the state, then the state's own.
struct PointsTwice {
    std::shared_ptr<TrustedUnit> unit = std::make_shared<TrustedUnit>();
    template <class Archive>
    void save(Archive& archive) const {
        const auto copy = unit;
        archive(cereal::make_nvp("copy", copy), CEREAL_NVP(unit));
    }
};

TEST(MemoryTrust, AnObjectIsShownOnceMoreWhereItIsKnownToLive) {
    const auto map = map_of(PointsTwice());
    EXPECT_EQ(at(map, "copy.id").made_up, 1U);
    EXPECT_EQ(at(map, "unit.id").settable, 1U);
}

TEST(MemoryTrust, AddressesAreThoseOfTheValues) {
    HoldingTrusted<std::vector<TrustedUnit>> state{{{1}, {2}}};
    const auto samples = at(map_of(state), "value[*].id").samples;
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_EQ(samples[1].address, reinterpret_cast<std::byte*>(&state.value[1].id));
    EXPECT_EQ(samples[1].size, sizeof(std::uint32_t));
}

}  // namespace
}  // namespace isotick::core::core_tests
