#include "states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A value of each kind, which must come back as it was.
template <class T>
struct Sample;
template <>
struct Sample<std::vector<float>> {
    static auto value() { return std::vector<float>{1.5F, -0.0F, 3e30F}; }
};
template <>
struct Sample<std::vector<bool>> {
    static auto value() { return std::vector<bool>{true, false, true}; }
};
template <>
struct Sample<std::vector<Unit>> {
    static auto value() {
        return std::vector<Unit>{{1, {2, 3}, true, Mood::angry}, {4, {5, 6}, false, Mood::calm}};
    }
};
template <>
struct Sample<std::vector<Tile>> {
    static auto value() { return std::vector<Tile>{{1, true, 2}, {3, false, 4}}; }
};
template <>
struct Sample<std::vector<Particle>> {
    static auto value() { return std::vector<Particle>{{1, 2, 3}, {4, 5, 6}}; }
};
template <>
struct Sample<std::vector<std::string>> {
    static auto value() { return std::vector<std::string>{"", "two", std::string(9000, 'x')}; }
};
template <>
struct Sample<std::deque<std::vector<int>>> {
    static auto value() { return std::deque<std::vector<int>>{{}, {1, 2}, {3}}; }
};
template <>
struct Sample<std::list<double>> {
    static auto value() { return std::list<double>{0.1, 0.2}; }
};
template <>
struct Sample<std::set<int>> {
    static auto value() { return std::set<int>{-1, 5}; }
};
template <>
struct Sample<std::unordered_set<std::string>> {
    static auto value() { return std::unordered_set<std::string>{"a", "b", "c"}; }
};
template <>
struct Sample<std::map<std::string, Vec2>> {
    static auto value() { return std::map<std::string, Vec2>{{"ann", {1, 2}}, {"bob", {3, 4}}}; }
};
template <>
struct Sample<std::unordered_map<int, std::vector<int>>> {
    static auto value() {
        return std::unordered_map<int, std::vector<int>>{{1, {2}}, {3, {}}, {4, {5, 6}}};
    }
};
template <>
struct Sample<std::optional<Vec2>> {
    static auto value() { return std::optional<Vec2>(Vec2{1, 2}); }
};
template <>
struct Sample<std::variant<int, std::string, Vec2>> {
    static auto value() { return std::variant<int, std::string, Vec2>("text"); }
};
template <>
struct Sample<std::pair<int, std::tuple<char, bool>>> {
    static auto value() { return std::pair{1, std::tuple{'c', true}}; }
};
template <>
struct Sample<std::array<Unit, 2>> {
    static auto value() { return std::array<Unit, 2>{Unit{7, {}, true, Mood::angry}, Unit{}}; }
};
template <>
struct Sample<std::bitset<11>> {
    static auto value() { return std::bitset<11>(0x5a5); }
};

template <class T>
class EveryKind : public ::testing::Test {};

using Kinds =
    ::testing::Types<std::vector<float>, std::vector<bool>, std::vector<Unit>, std::vector<Tile>,
                     std::vector<Particle>, std::vector<std::string>, std::deque<std::vector<int>>,
                     std::list<double>, std::set<int>, std::unordered_set<std::string>,
                     std::map<std::string, Vec2>, std::unordered_map<int, std::vector<int>>,
                     std::optional<Vec2>, std::variant<int, std::string, Vec2>,
                     std::pair<int, std::tuple<char, bool>>, std::array<Unit, 2>, std::bitset<11>>;
TYPED_TEST_SUITE(EveryKind, Kinds);

TYPED_TEST(EveryKind, ComesBackFromASnapshotAsItWas) {
    One<TypeParam> state{Sample<TypeParam>::value()};
    One<TypeParam> empty;
    One<TypeParam> again{Sample<TypeParam>::value()};
    load(empty, saved(state));
    EXPECT_EQ(empty.value, state.value);
    load(again, saved(One<TypeParam>{}));
    EXPECT_EQ(again.value, TypeParam{});
}

TYPED_TEST(EveryKind, DamagedAtAnyByteNeverCrashes) {
    const One<TypeParam> state{Sample<TypeParam>::value()};
    const Shape shape = shape_of(state);
    const Bytes good = saved(state);
    const std::size_t stride = good.size() < 2000 ? 1 : 13;
    for (std::size_t i = 0; i < good.size(); i += stride) {
        One<TypeParam> target;
        const auto cut = std::span(good).first(i);
        EXPECT_FALSE(thrown_by([&] { load_snapshot(target, shape, cut); }).empty()) << i;
        for (const unsigned flip : {1U, 0x80U, 0xffU}) {
            Bytes bad = good;
            bad[i] ^= static_cast<std::byte>(flip);
            One<TypeParam> other;
            thrown_by([&] { load_snapshot(other, shape, bad); });
        }
    }
}

TEST(Snapshot, SharedObjectsStayShared) {
    One<std::vector<std::shared_ptr<int>>> state;
    state.value = {std::make_shared<int>(1), nullptr, std::make_shared<int>(2)};
    state.value.push_back(state.value[0]);
    decltype(state) loaded;
    load(loaded, saved(state));
    ASSERT_EQ(loaded.value.size(), 4U);
    EXPECT_EQ(loaded.value[3], loaded.value[0]);
    EXPECT_EQ(*loaded.value[2], 2);
    EXPECT_EQ(loaded.value[1], nullptr);
}

TEST(Snapshot, ARingOfSharedPointersComesBackAsARing) {
    One<std::shared_ptr<Ring>> state{std::make_shared<Ring>()};
    state.value->value = 5;
    state.value->next = state.value;
    One<std::shared_ptr<Ring>> loaded;
    load(loaded, saved(state));
    EXPECT_EQ(loaded.value->value, 5);
    EXPECT_EQ(loaded.value->next, loaded.value);
    state.value->next.reset();
    loaded.value->next.reset();
}

TEST(Snapshot, ElementsWithoutBytesComeBackInNumber) {
    One<std::vector<Nothing>> nothing{std::vector<Nothing>(7)};
    One<std::vector<Silent>> silent{std::vector<Silent>(8)};
    One<std::vector<Nothing>> other_nothing;
    One<std::vector<Silent>> other_silent;
    load(other_nothing, saved(nothing));
    load(other_silent, saved(silent));
    EXPECT_EQ(other_nothing.value.size(), 7U);
    EXPECT_EQ(other_silent.value.size(), 8U);
}

struct Versioned {
    std::uint32_t version = 99;
    template <class Archive>
    void serialize(Archive& archive, std::uint32_t which) {
        archive(CEREAL_NVP(version));
        version = which;
    }
};

TEST(Snapshot, ClassVersionsReachTheLoader) {
    Versioned loaded;
    load(loaded, saved(Versioned{}));
    EXPECT_EQ(loaded.version, 0U);
}

TEST(Snapshot, NestingThatIsTooDeepIsRefusedOnBothWays) {
    One<std::unique_ptr<Node>> deep{chain(10'000)};
    EXPECT_THAT(thrown_by([&] { saved(deep); }),
                testing::AllOf(StartsWith("value.data.next.data.next"),
                               HasSubstr("nested more than 1000 deep")));
    cut(std::move(deep.value));

    One<std::unique_ptr<Node>> fits{chain(400)};
    One<std::unique_ptr<Node>> loaded;
    load(loaded, saved(fits));
    EXPECT_EQ(loaded.value->value, 399);
}

TEST(Snapshot, AHostileDepthIsRefused) {
    One<std::unique_ptr<Node>> target;
    const Shape shape = shape_of(target);
    Bytes bytes;
    ByteWriter writer(into(bytes));
    detail::write_snapshot_head(writer, shape);
    for (int i = 0; i < 10'000; ++i) {
        writer.put_byte(1);
        writer.put_number(std::int32_t{0});
    }
    writer.flush();
    EXPECT_THAT(thrown_by([&] { load_snapshot(target, shape, bytes); }), HasSubstr("1000 deep"));
}

struct Thrower {
    std::int32_t value = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
        if (value == 3) {
            throw std::runtime_error("three!");
        }
    }
};

TEST(Snapshot, AnExceptionOfTheStateSaysWhereItWasThrown) {
    One<std::map<std::string, std::vector<Thrower>>> state;
    state.value["a"] = {{1}, {2}};
    const Bytes good = saved(state);
    state.value["a"].push_back({3});
    EXPECT_EQ(thrown_by([&] { saved(state); }), "value[0].value[2]: three!");
    Bytes bad = good;
    bad[bad.size() - 4] = std::byte{3};
    EXPECT_EQ(thrown_by([&] { load(state, bad); }), "value[0].value[1]: three!");
}

struct Temporary {
    Thrower thrower{3};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp((std::string("a name on the heap, ") + "not a literal").c_str(),
                                 thrower));
    }
};

TEST(Snapshot, NamesThatDoNotOutliveTheirPairAreStillReported) {
    const Temporary state;
    const Shape shape{"", 0};
    Bytes bytes;
    EXPECT_EQ(thrown_by([&] { save_snapshot(state, shape, into(bytes)); }),
              "a name on the heap, not a literal: three!");
}

struct Two {
    std::shared_ptr<std::int32_t> a = std::make_shared<std::int32_t>(1);
    std::shared_ptr<std::string> b = std::make_shared<std::string>("b");
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b));
    }
};

TEST(Snapshot, ASharedPointerToAnotherTypeIsRefused) {
    Two state;
    Bytes bytes = saved(state);
    bytes.resize(bytes.size() - 9);  // b's size and character
    const std::uint32_t first = 1;
    std::memcpy(bytes.data() + bytes.size() - 4, &first, 4);
    EXPECT_EQ(thrown_by([&] { load(state, bytes); }),
              "b: refers to shared object 1, which has another type");
}

}  // namespace
}  // namespace isotick::core
