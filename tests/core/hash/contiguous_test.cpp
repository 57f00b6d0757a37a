#include "canonical.hpp"

#include <array>
#include <string>

#include <cereal/types/array.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {

enum class Kind : std::uint8_t { a, b };

struct True {
    float x = 1;
    std::uint16_t y = 2;
    bool z = true;
    Kind kind = Kind::b;
    std::array<std::uint32_t, 100> many{};
    double plain[2] = {3, 4};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), y, z, kind, many, plain);
    }
};
struct Unmarked : True {};

// Each breaks the promise in its own way.
struct Padded {
    std::uint8_t a = 0;
    std::uint32_t b = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(a, b);
    }
};
struct Swapped {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(b, a);
    }
};
struct Short {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(a);
    }
};
struct Long {
    std::uint32_t a = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(a, a);
    }
};
struct Twice {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(a, a);
    }
};

}  // namespace isotick::core::core_tests

ISOTICK_CONTIGUOUS(isotick::core::core_tests::True);
ISOTICK_CONTIGUOUS(isotick::core::core_tests::Padded);
ISOTICK_CONTIGUOUS(isotick::core::core_tests::Swapped);
ISOTICK_CONTIGUOUS(isotick::core::core_tests::Short);
ISOTICK_CONTIGUOUS(isotick::core::core_tests::Long);
ISOTICK_CONTIGUOUS(isotick::core::core_tests::Twice);

namespace isotick::core::core_tests {
namespace {

using ::testing::HasSubstr;

static_assert(is_contiguous_v<True> && is_contiguous_v<std::array<True, 2>>);
static_assert(is_contiguous_v<const float[2][3]> && is_contiguous_v<Kind>);
static_assert(!is_contiguous_v<Unmarked> && !is_contiguous_v<std::vector<int>>);
static_assert(!is_contiguous_v<long double> && !is_contiguous_v<std::array<int, 0>>);

template <class T>
std::string broken_promise() {
    try {
        check_contiguous<T>();
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "kept";
}

TEST(Contiguous, APromiseThatIsTruePasses) {
    EXPECT_EQ(broken_promise<True>(), "kept");
}

TEST(Contiguous, ABrokenPromiseNamesTheTypeAndTheByte) {
    EXPECT_THAT(broken_promise<Padded>(), HasSubstr("core_tests::Padded) is not true"));
    EXPECT_THAT(broken_promise<Padded>(), HasSubstr("differ at byte 1 "));
    EXPECT_THAT(broken_promise<Swapped>(), HasSubstr("differ at byte 0 "));
    EXPECT_THAT(broken_promise<Twice>(), HasSubstr("differ at byte 4 "));
    EXPECT_THAT(broken_promise<Short>(), HasSubstr("visits 4 of 8 bytes; they part at byte 4"));
    EXPECT_THAT(broken_promise<Long>(), HasSubstr("visits 8 of 4 bytes; they part at byte 4"));
}

TEST(Contiguous, HashingFindsTheBrokenPromise) {
    EXPECT_THROW(hash_alone(std::vector<Padded>(3)), StateError);
    EXPECT_THROW(hash_alone(Swapped{}), StateError);
}

TEST(Contiguous, TheMarkDoesNotChangeTheHash) {
    EXPECT_EQ(hash_alone(std::vector<True>(5)), hash_alone(std::vector<Unmarked>(5)));
    EXPECT_EQ(canonical(True{}), canonical(Unmarked{}));
}

struct Parts {
    True marked;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(marked));
    }
};

TEST(Contiguous, APartOfOnePieceIsTheHashOfItsMemory) {
    const Parts state;
    HashSink sink;
    hash_state(state, sink);
    EXPECT_EQ(sink.parts()[0].hash.value, hash_bytes(std::as_bytes(std::span(&state.marked, 1))));
}

TEST(Contiguous, AMarkedRootStillHasParts) {
    HashSink sink;
    hash_state(True{}, sink);
    ASSERT_EQ(sink.parts().size(), 2U);
    EXPECT_EQ(sink.parts()[0].name, "x");
}

}  // namespace
}  // namespace isotick::core::core_tests
