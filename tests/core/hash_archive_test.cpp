#include <isotick/core/hash_archive.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

std::uint64_t hash_of(std::initializer_list<int> bytes) {
    std::vector<std::byte> raw;
    for (const int byte : bytes) {
        raw.push_back(static_cast<std::byte>(byte));
    }
    return hash_bytes(raw);
}

template <class T>
std::vector<HashSink::Part> parts_of(const T& state) {
    HashSink sink;
    hash_state(state, sink);
    return {sink.parts().begin(), sink.parts().end()};
}

struct Named {
    std::uint16_t a = 0x0102;
    std::string b = "xy";
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(a), CEREAL_NVP(b));
    }
};

TEST(HashArchive, EachTopLevelNameIsAPartOfLittleEndianBytes) {
    const auto parts = parts_of(Named{});
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].name, "a");
    EXPECT_EQ(parts[0].hash.value, hash_of({2, 1}));
    EXPECT_EQ(parts[1].name, "b");
    EXPECT_EQ(parts[1].hash.value, hash_of({2, 0, 0, 0, 0, 0, 0, 0, 'x', 'y'}));
}

struct Mixed {
    std::uint8_t before = 1;
    Named middle;
    std::uint8_t after = 2;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(before, CEREAL_NVP(middle), after);
    }
};

TEST(HashArchive, UnnamedValuesFormOnePartNamedState) {
    const auto parts = parts_of(Mixed{});
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].name, "state");
    EXPECT_EQ(parts[0].hash.value, hash_of({1, 2}));
    EXPECT_EQ(parts[1].name, "middle");
    EXPECT_EQ(parts[1].hash.value, hash_of({2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 'x', 'y'}));
}

struct Numbers {
    std::vector<float> values = std::vector<float>(100'000, 1.5F);
    std::uint8_t end = 3;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(values, end);
    }
};

struct Large {
    Numbers all;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(all));
    }
};

TEST(HashArchive, LongStatesHashAsOneStream) {
    const Large state;
    const auto parts = parts_of(state);
    std::vector<std::byte> expected(8 + 4 * state.all.values.size() + 1);
    const std::uint64_t size = state.all.values.size();
    std::memcpy(expected.data(), &size, 8);
    std::memcpy(expected.data() + 8, state.all.values.data(), 4 * state.all.values.size());
    expected.back() = std::byte{3};
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].hash.value, hash_bytes(expected));
}

struct Empty {
    std::vector<float> none;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(none));
    }
};

TEST(HashArchive, AnEmptyVectorIsItsSizeAlone) {
    EXPECT_EQ(parts_of(Empty{})[0].hash.value, hash_of({0, 0, 0, 0, 0, 0, 0, 0}));
}

struct Shared {
    std::shared_ptr<int> first = std::make_shared<int>(1);
    std::shared_ptr<int> second = first;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(first), CEREAL_NVP(second));
    }
};

TEST(HashArchive, HashingTwiceGivesTheSameDespiteSharedPointers) {
    const Shared state;
    HashSink sink;
    hash_state(state, sink);
    const auto once = sink.parts()[1].hash;
    hash_state(state, sink);
    EXPECT_EQ(sink.parts()[1].hash, once);
    EXPECT_EQ(parts_of(Shared{})[1].hash, once);
}

struct Versioned {
    std::uint32_t value = 5;
    template <class Archive>
    void serialize(Archive& archive, std::uint32_t) {
        archive(CEREAL_NVP(value));
    }
};

TEST(HashArchive, ClassVersionsAreNotState) {
    const auto parts = parts_of(Versioned{});
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].name, "value");
    EXPECT_EQ(parts[0].hash.value, hash_of({5, 0, 0, 0}));
}

struct Zero {
    double value;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(value);
    }
};

TEST(HashArchive, MinusZeroDiffersFromZero) {
    EXPECT_NE(parts_of(Zero{0.0})[0].hash, parts_of(Zero{-0.0})[0].hash);
}

struct Twice {
    int x = 1;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(x));
    }
};

TEST(HashArchive, TwoPartsOfOneNameAreRefused) {
    EXPECT_THROW(parts_of(Twice{}), std::logic_error);
}

TEST(StateHash, IsTheHashOfThePartHashesInOrder) {
    const std::array<PartHash, 2> parts{PartHash{1}, PartHash{0x0200}};
    EXPECT_EQ(hash_parts(parts).value, hash_of({1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(StateHash, MatchesThePublishedXxh3OfNothing) {
    EXPECT_EQ(hash_bytes({}), 0x2d06800538d394c2ULL);
}

}  // namespace
}  // namespace isotick::core
