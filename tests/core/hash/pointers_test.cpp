#include "canonical.hpp"

#include <memory>
#include <string>

#include <cereal/types/memory.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {

struct Animal {
    Animal() = default;
    Animal(const Animal&) = delete;
    virtual ~Animal() = default;
    virtual void speak() const = 0;
    std::uint8_t age = 1;
};
struct Dog : Animal {
    void speak() const override {}
    template <class Archive>
    void serialize(Archive& archive) {
        archive(age);
    }
};
struct Cat : Animal {
    void speak() const override {}
    template <class Archive>
    void serialize(Archive& archive) {
        archive(age);
    }
};
struct Stranger : Animal {
    void speak() const override {}
};

}  // namespace isotick::core::core_tests

CEREAL_REGISTER_TYPE_WITH_NAME(isotick::core::core_tests::Dog, "dog");
CEREAL_REGISTER_TYPE_WITH_NAME(isotick::core::core_tests::Cat, "cat");
CEREAL_REGISTER_POLYMORPHIC_RELATION(isotick::core::core_tests::Animal,
                                     isotick::core::core_tests::Dog);
CEREAL_REGISTER_POLYMORPHIC_RELATION(isotick::core::core_tests::Animal,
                                     isotick::core::core_tests::Cat);

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Byte = std::uint8_t;

TEST(PointerHash, UniquePointersBeginWithWhetherTheyHoldSomething) {
    EXPECT_THAT(canonical(std::unique_ptr<Byte>()), ElementsAre(0));
    EXPECT_THAT(canonical(std::make_unique<Byte>(Byte{7})), ElementsAre(1, 7));
}

TEST(PointerHash, SharedObjectsAreNumberedWhenFirstMet) {
    const auto shared = std::make_shared<Byte>(Byte{7});
    const std::vector<std::shared_ptr<Byte>> graph{shared, nullptr, shared};
    EXPECT_THAT(canonical(graph), ElementsAre(3, 0, 0, 0, 0, 0, 0, 0,     // size
                                              1, 0, 0, 0, 0, 0, 0, 0, 7,  // new
                                              0, 0, 0, 0, 0, 0, 0, 0,     // null
                                              1, 0, 0, 0, 0, 0, 0, 0));   // again
}

TEST(PointerHash, EqualObjectsDifferFromOneThatIsShared) {
    const auto shared = std::make_shared<int>(7);
    const std::vector<std::shared_ptr<int>> one{shared, shared};
    const std::vector<std::shared_ptr<int>> two{shared, std::make_shared<int>(7)};
    EXPECT_NE(hash_alone(one), hash_alone(two));
}

TEST(PointerHash, WeakPointersAreReferencesToo) {
    const auto object = std::make_shared<Byte>(Byte{7});
    EXPECT_EQ(canonical(std::weak_ptr<Byte>(object)), canonical(object));
    const std::weak_ptr<Byte> expired = std::make_shared<Byte>(Byte{7});
    EXPECT_EQ(canonical(expired), canonical(std::shared_ptr<Byte>()));
}

// An object and its first member have one address.
struct Outer {
    Byte first = 1;
    Byte second = 2;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(first, second);
    }
};
struct Aliased {
    std::shared_ptr<Outer> outer = std::make_shared<Outer>();
    std::shared_ptr<Byte> inner{outer, &outer->first};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(inner, outer);
    }
};

TEST(PointerHash, APointerToTheFirstMemberDoesNotHideTheRest) {
    const Aliased one;
    const Aliased other;
    other.outer->second = 3;
    EXPECT_NE(hash_alone(one), hash_alone(other));
}

struct TwoParts {
    std::vector<std::shared_ptr<int>> a{std::make_shared<int>(1)};
    std::vector<std::shared_ptr<int>> b{std::make_shared<int>(2), nullptr};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b));
    }
};

TEST(PointerHash, AnObjectMoreInOnePartLeavesTheOthersAlone) {
    TwoParts before;
    TwoParts after;
    after.a.push_back(std::make_shared<int>(3));
    HashSink one;
    HashSink other;
    hash_state(before, one);
    hash_state(after, other);
    EXPECT_NE(one.parts()[0].hash, other.parts()[0].hash);
    EXPECT_EQ(one.parts()[1].hash, other.parts()[1].hash);
}

TEST(PointerHash, PolymorphicObjectsBeginWithTheirRegisteredName) {
    const std::unique_ptr<Animal> dog = std::make_unique<Dog>();
    EXPECT_THAT(canonical(dog),
                ElementsAre(0, 0, 0, 0x80, 3, 0, 0, 0, 0, 0, 0, 0, 'd', 'o', 'g', 1, 1));
    EXPECT_THAT(canonical(std::unique_ptr<Animal>()), ElementsAre(0, 0, 0, 0));
}

TEST(PointerHash, ThePolymorphicNameDoesNotDependOnWhatCameBefore) {
    const std::unique_ptr<Animal> dog = std::make_unique<Dog>();
    std::vector<std::unique_ptr<Animal>> zoo;
    zoo.push_back(std::make_unique<Cat>());
    zoo.push_back(std::make_unique<Dog>());
    const auto alone = canonical(dog);
    const auto both = canonical(zoo);
    EXPECT_TRUE(std::equal(alone.rbegin(), alone.rend(), both.rbegin()));
}

TEST(PointerHash, PolymorphicObjectsCanBeShared) {
    const std::shared_ptr<Animal> dog = std::make_shared<Dog>();
    const std::shared_ptr<Animal> twin = std::make_shared<Dog>();
    using Zoo = std::vector<std::shared_ptr<Animal>>;
    EXPECT_NE(hash_alone(Zoo{dog, dog}), hash_alone(Zoo{dog, twin}));
    EXPECT_EQ(hash_alone(Zoo{dog, twin}), hash_alone(Zoo{twin, dog}));
}

TEST(PointerHash, UnregisteredPolymorphicTypesAreAnError) {
    const std::unique_ptr<Animal> stranger = std::make_unique<Stranger>();
    try {
        hash_alone(stranger);
        FAIL() << "nothing was thrown";
    } catch (const StateError& error) {
        EXPECT_THAT(error.what(), HasSubstr("unregistered polymorphic type"));
    }
}

}  // namespace
}  // namespace isotick::core::core_tests
