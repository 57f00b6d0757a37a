// The canonical bytes of each kind of value.

#include "canonical.hpp"

#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <forward_list>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>

#include <cereal/types/atomic.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/forward_list.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<int>;

// A size of one byte's worth, and then these bytes.
Bytes sized(int size, const Bytes& bytes) {
    Bytes all{size, 0, 0, 0, 0, 0, 0, 0};
    all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
}

TEST(CanonicalBytes, NumbersAreLittleEndian) {
    EXPECT_THAT(canonical(std::uint32_t{0x01020304}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(canonical(std::int16_t{-2}), ElementsAre(0xfe, 0xff));
    EXPECT_THAT(canonical(true), ElementsAre(1));
    EXPECT_THAT(canonical(1.0F), ElementsAre(0, 0, 0x80, 0x3f));
    EXPECT_THAT(canonical(-0.0), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0x80));
}

TEST(CanonicalBytes, ALongHas64BitsOnEveryPlatform) {
    EXPECT_THAT(canonical(long{-1}), ElementsAre(255, 255, 255, 255, 255, 255, 255, 255));
    EXPECT_EQ(canonical(std::vector<unsigned long>{7}), sized(1, {7, 0, 0, 0, 0, 0, 0, 0}));
}

enum class Order : std::uint16_t { hold = 3, attack = 0x0102 };

TEST(CanonicalBytes, EnumsAreTheirUnderlyingNumbers) {
    EXPECT_THAT(canonical(Order::attack), ElementsAre(2, 1));
    EXPECT_EQ(canonical(std::vector<Order>{Order::hold, Order::attack}), sized(2, {3, 0, 2, 1}));
}

TEST(CanonicalBytes, SequencesAreTheirSizeAndTheirElements) {
    const Bytes expected = sized(2, {1, 0, 2, 0});
    EXPECT_EQ(canonical(std::vector<std::uint16_t>{1, 2}), expected);
    EXPECT_EQ(canonical(std::deque<std::uint16_t>{1, 2}), expected);
    EXPECT_EQ(canonical(std::list<std::uint16_t>{1, 2}), expected);
    EXPECT_EQ(canonical(std::forward_list<std::uint16_t>{1, 2}), expected);
    EXPECT_EQ(canonical(std::set<std::uint16_t>{2, 1}), expected);
    EXPECT_EQ(canonical(std::multiset<std::uint16_t>{2, 1}), expected);
    const std::array<std::uint16_t, 2> array{1, 2};
    EXPECT_EQ(canonical(std::span<const std::uint16_t>(array)), expected);
    EXPECT_EQ(canonical(std::vector<bool>{true, false}), sized(2, {1, 0}));
    EXPECT_EQ(canonical(std::string("ab")), sized(2, {'a', 'b'}));
    EXPECT_EQ(canonical(std::u16string(u"ab")), sized(2, {'a', 0, 'b', 0}));
}

TEST(CanonicalBytes, ArraysAreTheirElementsAlone) {
    EXPECT_THAT(canonical(std::array<std::uint16_t, 2>{1, 2}), ElementsAre(1, 0, 2, 0));
    const std::uint8_t plain[2][2] = {{1, 2}, {3, 4}};
    EXPECT_THAT(canonical(plain), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(canonical(std::array<std::string, 1>{"x"}),
                ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 'x'));
    EXPECT_THAT(canonical(std::array<int, 0>{}), ElementsAre());
}

TEST(CanonicalBytes, MapsAreTheirSizeAndThenKeysAndValuesInOrder) {
    using Key = std::uint8_t;
    EXPECT_EQ(canonical(std::map<Key, bool>{{2, true}, {1, false}}), sized(2, {1, 0, 2, 1}));
    EXPECT_EQ(canonical(std::multimap<Key, Key>{{1, 5}, {1, 4}}), sized(2, {1, 5, 1, 4}));
}

TEST(CanonicalBytes, OptionalsBeginWithWhetherTheyAreEmpty) {
    EXPECT_THAT(canonical(std::optional<std::uint8_t>{}), ElementsAre(1));
    EXPECT_THAT(canonical(std::optional<std::uint8_t>{7}), ElementsAre(0, 7));
}

TEST(CanonicalBytes, VariantsBeginWithTheirIndex) {
    using Either = std::variant<std::monostate, std::uint8_t>;
    EXPECT_THAT(canonical(Either{}), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(canonical(Either{std::uint8_t{9}}), ElementsAre(1, 0, 0, 0, 9));
}

TEST(CanonicalBytes, PairsAndTuplesAreTheirMembers) {
    EXPECT_THAT(canonical(std::pair<std::uint8_t, bool>{5, true}), ElementsAre(5, 1));
    EXPECT_THAT(canonical(std::tuple<std::uint8_t, bool, std::uint8_t>{5, true, 6}),
                ElementsAre(5, 1, 6));
}

TEST(CanonicalBytes, BitsetsArePackedHighestBitFirstAfterAMark) {
    EXPECT_THAT(canonical(std::bitset<10>(0b10'0000'0001)), ElementsAre(3, 0x80, 0x40));
}

TEST(CanonicalBytes, WrappersAreWhatTheyHold) {
    EXPECT_THAT(canonical(std::chrono::duration<std::int16_t>(258)), ElementsAre(2, 1));
    EXPECT_EQ(canonical(std::complex<float>(1, 2)), canonical(std::array<float, 2>{1, 2}));
    const std::atomic<std::uint16_t> atomic{258};
    EXPECT_THAT(canonical(atomic), ElementsAre(2, 1));
}

struct Meters {
    float value = 1;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(value);
    }
};

struct Minimal {
    std::uint16_t value = 258;
    template <class Archive>
    std::uint16_t save_minimal(const Archive&) const {
        return value;
    }
    template <class Archive>
    void load_minimal(const Archive&, const std::uint16_t& stored) {
        value = stored;
    }
};

TEST(CanonicalBytes, StrongTypesAreTheirMembers) {
    EXPECT_EQ(canonical(Meters{}), canonical(1.0F));
    EXPECT_EQ(canonical(std::vector<Meters>(1)), sized(1, {0, 0, 0x80, 0x3f}));
    EXPECT_THAT(canonical(Minimal{}), ElementsAre(2, 1));
}

}  // namespace
}  // namespace isotick::core::core_tests
