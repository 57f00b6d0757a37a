// Sizes that lie: refused, and never followed.

#include "states.hpp"

#include <cstdlib>
#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::HasSubstr;

// A snapshot of One<T> that claims `size` elements and holds `left` zero bytes.
template <class T>
Bytes hostile(std::uint64_t size, std::size_t left) {
    const One<T> state;
    Bytes bytes;
    ByteWriter writer(into(bytes));
    detail::write_snapshot_head(writer, shape_of(state));
    writer.put_number(size);
    writer.flush();
    bytes.resize(bytes.size() + left);
    return bytes;
}

template <class T>
std::string refusal(std::uint64_t size, std::size_t left) {
    One<T> state;
    return thrown_by([&] { load(state, hostile<T>(size, left)); });
}

template <class T>
class EverySize : public ::testing::Test {};
using Containers =
    ::testing::Types<std::vector<float>, std::vector<bool>, std::vector<Unit>, std::vector<Tile>,
                     std::vector<Particle>, std::vector<Nothing>, std::string,
                     std::deque<std::vector<int>>, std::list<double>, std::set<int>,
                     std::unordered_set<std::string>, std::map<std::string, Vec2>,
                     std::unordered_map<int, std::vector<int>>>;
TYPED_TEST_SUITE(EverySize, Containers);

TYPED_TEST(EverySize, ThatTheBytesCannotHoldIsRefused) {
    constexpr std::size_t kLeft = 1000;
    for (const std::uint64_t size : {std::uint64_t{1001}, std::uint64_t{1} << 32U,
                                     std::uint64_t{1} << 61U, ~std::uint64_t{0}}) {
        EXPECT_THAT(refusal<TypeParam>(size, kLeft),
                    HasSubstr("value: claims " + std::to_string(size)));
    }
}

// Large in memory, one byte in a snapshot.
struct Bulky {
    std::uint8_t seen = 0;
    std::array<std::uint64_t, 1000> cache{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(seen));
        if (seen == 9) {
            throw std::runtime_error("nine");
        }
        count += 1;
    }
    static inline std::size_t count = 0;
};

TEST(SnapshotLimit, RoomIsMadeOnlyAsElementsArrive) {
    One<std::vector<Bulky>> state;
    const Shape shape = shape_of(state);
    Bytes bytes = hostile<std::vector<Bulky>>(100'000, 100'000);
    bytes[bytes.size() - 100'000 + 40] = std::byte{9};
    EXPECT_EQ(thrown_by([&] { load_snapshot(state, shape, bytes); }), "value[40]: nine");
    EXPECT_LE(state.value.capacity(), 64U);
}

TEST(SnapshotLimit, ASinkThatTakesNoMoreEndsTheSave) {
    const One<std::vector<int>> state{std::vector<int>(100'000)};
    const auto refuse = [](void*, const void*, std::uint64_t) -> std::int32_t {
        return ISOTICK_FAILED;
    };
    EXPECT_EQ(thrown_by([&] {
                  save_snapshot(state, shape_of(state), {nullptr, refuse});
              }),
              "value[0]: the reader accepts no more");
}

}  // namespace
}  // namespace isotick::core
