// In which order and under which paths a state's memory is shown.

#include "memory_support.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <variant>

#include <cereal/types/array.hpp>
#include <cereal/types/base_class.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {

struct Shape {
    virtual ~Shape() = default;
    virtual float area() const = 0;
    std::uint32_t color = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(color));
    }
};
struct Circle : Shape {
    float area() const override { return radius * radius; }
    float radius = 1;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::base_class<Shape>(this), CEREAL_NVP(radius));
    }
};

}  // namespace isotick::core::core_tests

CEREAL_REGISTER_TYPE_WITH_NAME(isotick::core::core_tests::Circle, "circle");

namespace isotick::core::core_tests {
namespace {

using ::testing::HasSubstr;

// Writes down what is shown: `{` and `}` around objects, paths with sizes, `!` where settable, `?`
// outside of objects.
struct Transcript {
    std::string text;
    int calls_left = 1'000'000;

    isotick_memory_visitor visitor() {
        return {
            this,
            [](void* self, const char*, void*, std::uint64_t size) {
                return static_cast<Transcript*>(self)->add("{" + std::to_string(size));
            },
            [](void* self) { return static_cast<Transcript*>(self)->add("}"); },
            [](void* self, const char* path, void*, std::uint64_t size, std::uint32_t settable) {
                const char* const mark = settable == 1                        ? "!"
                                         : settable == ISOTICK_MEMORY_OUTSIDE ? "?"
                                                                              : "";
                return static_cast<Transcript*>(self)->add(path + (":" + std::to_string(size)) +
                                                           mark);
            }};
    }
    std::int32_t add(const std::string& what) {
        text += (text.empty() ? "" : " ") + what;
        return --calls_left > 0 ? ISOTICK_OK : ISOTICK_FAILED;
    }
};

template <class T>
std::string shown(const T& state) {
    Transcript transcript;
    visit_memory(state, transcript.visitor());
    return transcript.text;
}

template <class T>
struct Holding {
    T value{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
};

struct Vec2 {
    float x = 0;
    float y = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(x, y);
    }
};
enum class Mood : std::uint8_t { calm, angry };
struct Unit {
    Vec2 position;
    Mood mood = Mood::calm;
    bool alive = true;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(mood), CEREAL_NVP(alive));
    }
};
struct Versioned {
    std::int16_t value = 0;
    template <class Archive>
    void serialize(Archive& archive, std::uint32_t) {
        archive(CEREAL_NVP(value));
    }
};
struct Tree {
    std::int32_t value = 0;
    std::unique_ptr<Tree> left;
    std::unique_ptr<Tree> right;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value), CEREAL_NVP(left), CEREAL_NVP(right));
    }
};

TEST(MemoryWalk, ShowsObjectsAndTheirValuesInOrder) {
    EXPECT_EQ(shown(Unit()), "{12 {8 position.0:4! position.1:4! } mood:1! alive:1! }");
}

struct Handle {
    double* engine = nullptr;
    template <class Archive>
    void serialize(Archive& archive) {
        double copy = *engine;
        archive(cereal::make_nvp("engine", *engine), CEREAL_NVP(copy));
    }
};

TEST(MemoryWalk, TellsWhatIsInNoObject) {
    double engine = 1;
    EXPECT_EQ(shown(Handle{&engine}), "{8 engine:8? copy:8? }");
}

TEST(MemoryWalk, ShowsNumbersInARowAtOnce) {
    EXPECT_EQ(shown(Holding<std::vector<float>>{{1, 2, 3}}), "{24 value:24 value[*]:12! }");
    EXPECT_EQ(shown(Holding<std::vector<Mood>>{{Mood::calm}}), "{24 value:24 value[*]:1! }");
    EXPECT_EQ(shown(Holding<std::array<std::uint16_t, 3>>()), "{6 value[*]:6! }");
    EXPECT_EQ(shown(Holding<std::array<std::array<float, 2>, 2>>()),
              "{16 value[*][*]:8! value[*][*]:8! }");
}

TEST(MemoryWalk, ShowsWhatContainersHoldUnderOnePath) {
    EXPECT_EQ(shown(Holding<std::vector<Versioned>>{{{1}, {2}}}),
              "{24 value:24 {2 value[*].value:2! } {2 value[*].value:2! } }");
    const std::string map = std::to_string(sizeof(std::map<int, float>));  // libc++'s is smaller
    EXPECT_EQ(shown(Holding<std::map<int, float>>{{{1, 2.0F}}}),
              "{" + map + " value:" + map + " value[key]:4 value[*]:4! }");
    EXPECT_EQ(shown(Holding<std::pair<int, float>>()), "{8 {8 value.first:4! value.second:4! } }");
    EXPECT_EQ(shown(Holding<std::variant<int, float>>{2.0F}), "{8 value:8 value<1>:4! }");
}

TEST(MemoryWalk, ShowsOtherStandardClassesAsOneValue) {
    EXPECT_EQ(shown(Holding<std::complex<float>>()), "{8 value:8 }");
    Holding<std::queue<float, std::vector<float>>> state;
    state.value.push(1);
    EXPECT_EQ(shown(state), "{24 value:24 value.container:24 value.container[*]:4! }");
}

TEST(MemoryWalk, GivesTheSamePathsToAllOfATree) {
    Tree tree;
    tree.left = std::make_unique<Tree>();
    tree.left->right = std::make_unique<Tree>();
    const auto map = map_of(tree);
    EXPECT_EQ(at(map, "value").values, 3U);
    EXPECT_EQ(map.paths.size(), 3U);
}

TEST(MemoryWalk, GoesThroughPointersToPolymorphicTypes) {
    Holding<std::unique_ptr<Shape>> unique{std::make_unique<Circle>()};
    EXPECT_EQ(shown(unique), "{8 value:8 {16 :8 {12 :8 value.color:4! } value.radius:4! } }");
    Holding<std::shared_ptr<Shape>> shared{std::make_shared<Circle>()};
    EXPECT_EQ(shown(shared), "{16 value:16 {16 :8 {12 :8 value.color:4! } value.radius:4! } }");
    Holding<std::pair<std::weak_ptr<Shape>, int>> weak{{shared.value, 1}};
    EXPECT_THAT(shown(weak), HasSubstr("value.first.radius:4! } value.second:4!"));
    EXPECT_EQ(shown(Holding<std::unique_ptr<Shape>>()), "{8 value:8 }");
}

TEST(MemoryWalk, NamesTypesAsTheProgramDoes) {
    EXPECT_STREQ(detail::type_name<Circle>(), "isotick::core::core_tests::Circle");
    const auto map = map_of(Holding<std::unique_ptr<Shape>>{std::make_unique<Circle>()});
    EXPECT_EQ(type_called(map, "isotick::core::core_tests::Circle").objects, 1U);
}

TEST(MemoryWalk, RefusesWhatIsNestedTooDeeply) {
    std::unique_ptr<Tree> tree;
    for (int i = 0; i < 10'000; ++i) {
        auto above = std::make_unique<Tree>();
        above->left = std::move(tree);
        tree = std::move(above);
    }
    Transcript transcript;
    try {
        visit_memory(*tree, transcript.visitor());
        ADD_FAILURE() << "nothing was refused";
    } catch (const std::runtime_error& refused) {
        EXPECT_STREQ(refused.what(), "left: nested more than 1000 deep");
    }
    while (tree != nullptr) {  // not by recursion
        tree = std::move(tree->left);
    }
}

TEST(MemoryWalk, EndsWhenTheVisitorWantsNoMore) {
    for (int calls = 1; calls <= 5; ++calls) {
        Transcript transcript;
        transcript.calls_left = calls;
        EXPECT_THROW(visit_memory(Unit(), transcript.visitor()), std::runtime_error);
        EXPECT_EQ(transcript.calls_left, 0);
    }
}

}  // namespace
}  // namespace isotick::core::core_tests
