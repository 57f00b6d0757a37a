// Which bytes of objects are found to be unseen.

#include "memory_support.hpp"

#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include <cereal/types/array.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Serialises its first and its last member.
struct Forgetful {
    std::uint32_t first = 1;
    std::uint32_t forgotten = 2;
    std::uint64_t last = 3;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(first), CEREAL_NVP(last));
    }
};
struct Padded {
    std::uint8_t first = 1;
    std::uint32_t second = 2;
    std::uint16_t third = 3;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(first), CEREAL_NVP(second), CEREAL_NVP(third));
    }
};
struct UnseenVec2 {
    float x = 0;
    float y = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
};
template <class T>
struct HoldingUnseen {
    T value{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
};

struct Whole {
    UnseenVec2 position;
    std::vector<UnseenVec2> path{3};
    std::string name = "whole";
    std::array<std::uint32_t, 2> numbers{};
    std::uint16_t plain[4] = {};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(position, path, name, numbers, plain);
    }
};
struct Sometimes {
    std::uint32_t full = 0;
    std::uint32_t more = 0;
    std::uint32_t never = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(full));
        if (full != 0) {
            archive(CEREAL_NVP(more));
        }
    }
};
struct Odd {
    std::uint32_t number = 0;
    std::uint32_t even_only = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(number));
        if (number % 2 == 0) {
            archive(CEREAL_NVP(even_only));
        }
    }
};

TEST(Unseen, AreMembersThatSerializeForgets) {
    EXPECT_EQ(unseen_of<Forgetful>(map_of(Forgetful())), "4-8 of 1");
}

TEST(Unseen, IsPadding) {
    EXPECT_EQ(unseen_of<Padded>(map_of(Padded())), "1-4 of 1; 10-12 of 1");
}

TEST(Unseen, IsNothingWhereEverythingIsSerialised) {
    const auto map = map_of(Whole());
    EXPECT_THAT(types_with_unseen(map), IsEmpty());
    EXPECT_EQ(type_called(map, detail::type_name<UnseenVec2>()).objects, 4U);
}

TEST(Unseen, BytesOfANestedObjectCountForThatObjectOnly) {
    const auto map = map_of(HoldingUnseen<Forgetful>());
    EXPECT_EQ(unseen_of<HoldingUnseen<Forgetful>>(map), "");
    EXPECT_EQ(unseen_of<Forgetful>(map), "4-8 of 1");
}

template <class Container>
std::string unseen_in(Container container) {
    const auto map = map_of(HoldingUnseen<Container>{std::move(container)});
    EXPECT_EQ(unseen_of<HoldingUnseen<Container>>(map), "");
    return unseen_of<Forgetful>(map);
}

TEST(Unseen, BytesAreFoundInElementsOfContainers) {
    EXPECT_EQ(unseen_in(std::vector<Forgetful>(3)), "4-8 of 3");
    EXPECT_EQ(unseen_in(std::list<Forgetful>(2)), "4-8 of 2");
    EXPECT_EQ(unseen_in(std::map<int, Forgetful>{{1, {}}, {2, {}}}), "4-8 of 2");
    EXPECT_EQ(unseen_in(std::vector<std::vector<Forgetful>>(2, std::vector<Forgetful>(2))),
              "4-8 of 4");
    EXPECT_EQ(unseen_in(std::array<Forgetful, 2>()), "4-8 of 2");
}

TEST(Unseen, BytesAreFoundBehindPointersAndInHolders) {
    HoldingUnseen<std::tuple<std::unique_ptr<Forgetful>, std::shared_ptr<Forgetful>,
                             std::optional<Forgetful>, std::variant<int, Forgetful>>>
        state;
    state.value = {std::make_unique<Forgetful>(), std::make_shared<Forgetful>(), Forgetful(),
                   Forgetful()};
    const auto map = map_of(state);
    EXPECT_EQ(unseen_of<Forgetful>(map), "4-8 of 4");
    EXPECT_THAT(types_with_unseen(map), ElementsAre(detail::type_name<Forgetful>()));
}

TEST(Unseen, PairsAndTuplesAreObjectsWithPadding) {
    using Pair = std::pair<std::uint8_t, std::uint32_t>;
    EXPECT_EQ(unseen_of<Pair>(map_of(HoldingUnseen<Pair>())), "1-4 of 1");
}

TEST(Unseen, BytesDifferBetweenObjectsOfAType) {
    const std::vector<Sometimes> all{{1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
    const auto map = map_of(HoldingUnseen<std::vector<Sometimes>>{all});
    EXPECT_EQ(unseen_of<Sometimes>(map), "4-8 of 1; 8-12 of 3");
}

TEST(Unseen, PlacesAreOfObjectsInWhichTheRangeIsUnseen) {
    HoldingUnseen<std::vector<Odd>> state{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}};
    const auto map = map_of(state);
    const MemoryType type = type_called(map, detail::type_name<Odd>());
    ASSERT_EQ(type.unseen.size(), 1U);
    EXPECT_THAT(type.unseen[0].places,
                ElementsAre(reinterpret_cast<std::byte*>(&state.value[1].even_only),
                            reinterpret_cast<std::byte*>(&state.value[3].even_only)));
    EXPECT_EQ(type.addresses.size(), 4U);
}

// Bases. Derived keeps a member in Base's tail padding, which a plain struct has no right to.
struct Base {
    Base() = default;
    Base(const Base&) = delete;
    std::uint64_t wide = 0;
    std::uint32_t narrow = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(wide), CEREAL_NVP(narrow));
    }

  protected:
    std::uint8_t last = 0;
};
struct Derived : Base {
    std::uint16_t in_the_tail = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::base_class<Base>(this));
    }
};

TEST(Unseen, MembersInTheTailPaddingOfABaseAreTheDerivedObjects) {
    ASSERT_EQ(sizeof(Derived), sizeof(Base));
    const auto map = map_of(Derived());
    EXPECT_EQ(unseen_of<Derived>(map), "13-16 of 1");
    EXPECT_EQ(unseen_of<Base>(map), "12-13 of 1");
    EXPECT_EQ(type_called(map, detail::type_name<Base>()).size, 13U);
    EXPECT_EQ(settable_paths(map), (std::vector<std::string>{"wide", "narrow"}));
}

struct Nothing {};
struct OnNothing : Nothing {
    std::uint32_t forgotten = 0;
    std::uint32_t seen = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::base_class<Nothing>(this), CEREAL_NVP(seen));
    }
};

TEST(Unseen, AnEmptyBaseHidesNothing) {
    const auto map = map_of(OnNothing());
    EXPECT_EQ(unseen_of<OnNothing>(map), "0-4 of 1");
    EXPECT_EQ(unseen_of<Nothing>(map), "");
}

TEST(Unseen, TheByteOfAnEmptyMemberIsNotMissed) {
    EXPECT_THAT(types_with_unseen(map_of(HoldingUnseen<Nothing>())), IsEmpty());
}

struct Animal {
    virtual ~Animal() = default;
    std::uint32_t age = 0;
    std::uint32_t forgotten = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(age));
    }
};
struct Named {
    virtual ~Named() = default;
    std::uint64_t name = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(name));
    }
};
struct Dog : Animal, Named {
    std::uint64_t bones = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::base_class<Animal>(this), cereal::base_class<Named>(this),
                CEREAL_NVP(bones));
    }
};

TEST(Unseen, VtablePointersAreNotMissed) {
    const auto map = map_of(Dog());
    EXPECT_EQ(unseen_of<Dog>(map), "");
    EXPECT_EQ(unseen_of<Animal>(map), "12-16 of 1");
    EXPECT_EQ(unseen_of<Named>(map), "");
}

}  // namespace
}  // namespace isotick::core::core_tests
