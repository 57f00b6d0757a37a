// visitor.h: a state that is described in C is hashed, saved and shown as the same one in C++.

#include "visited.hpp"
#include "visited_state.h"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/hash_archive.hpp>

#include <cstring>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct TwinUnit {
    float x = 0;
    bool alive = false;
    std::vector<std::uint16_t> orders;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(alive), CEREAL_NVP(orders));
    }
};

struct TwinCorner {
    std::int16_t x = 0;
    std::int16_t y = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
};

struct TwinWeather {
    float heat = 0;
    double clock = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(heat), CEREAL_NVP(clock));
    }
};

// The same state as a C++ type would have it.
struct Twin {
    explicit Twin(const visited_state& state) : c(state), weather{state.heat, state.clock} {
        std::memcpy(heights.data(), state.heights, sizeof state.heights);
        for (std::size_t i = 0; i < corners.size(); ++i) {
            corners.at(i) = {state.corners[i].x, state.corners[i].y};
        }
        for (int i = 0; i < state.unit_count; ++i) {
            const visited_unit& unit = state.units[i];
            units.push_back({unit.x, unit.alive, {unit.orders, unit.orders + unit.order_count}});
        }
        motto = state.motto;
    }
    template <class Archive>
    void save(Archive& archive) const {
        using cereal::make_nvp;
        archive(make_nvp("paused", c.paused), make_nvp("level", c.level),
                make_nvp("width", c.width), make_nvp("seed", c.seed), make_nvp("random", c.random),
                make_nvp("tilt", c.tilt), make_nvp("lean", c.lean), make_nvp("score", c.score),
                make_nvp("money", c.money), CEREAL_NVP(weather), CEREAL_NVP(heights),
                CEREAL_NVP(corners), CEREAL_NVP(units), CEREAL_NVP(motto));
    }

    visited_state c;
    TwinWeather weather;
    std::array<float, 300> heights{};
    std::array<TwinCorner, 2> corners{};
    std::vector<TwinUnit> units;
    std::string motto;
};

visited_state example() {
    visited_state state{};
    state = {true,        200,  60000, 4000000000U, ~std::uint64_t{5},  -100, -30000, -2000000000,
             -5000000000, 0.1F, 1e300, {},          {{-1, 2}, {3, -4}}, 2,    {},     "hold"};
    for (int i = 0; i < 300; ++i) {
        state.heights[i] = 0.1F * static_cast<float>(i);
    }
    state.units[0] = {1.5F, true, 3, {7, 8, 9}};
    state.units[1] = {-0.0F, false, 0, {}};
    return state;
}

auto visit_of(visited_state& state) {
    return [&state](isotick_visitor* v) { visit_state(v, &state); };
}

Parts parts_of(const Twin& twin, NanPolicy nans) {
    HashSink sink;
    hash_state(twin, sink, nans);
    Parts parts;
    for (const HashSink::Part& part : sink.parts()) {
        parts.emplace_back(part.name, part.hash.value);
    }
    return parts;
}

TEST(Visitor, HashesAStateAsCppDoes) {
    visited_state state = example();
    const Visited made = visited_hash(visit_of(state));
    EXPECT_EQ(made.failure, "");
    EXPECT_THAT(made.parts, SizeIs(14));
    EXPECT_EQ(made.parts, parts_of(Twin(state), NanPolicy::bits));
}

TEST(Visitor, HashesNaNsByThePolicy) {
    visited_state state = example();
    state.units[0].x = -std::numeric_limits<float>::quiet_NaN();
    state.heights[250] = std::numeric_limits<float>::signaling_NaN();
    state.clock = -std::numeric_limits<double>::quiet_NaN();
    state.heights[0] = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(visited_hash(visit_of(state), "bits").parts, parts_of(Twin(state), NanPolicy::bits));
    EXPECT_EQ(visited_hash(visit_of(state), "one").parts, parts_of(Twin(state), NanPolicy::one));
    EXPECT_NE(visited_hash(visit_of(state), "one").parts, visited_hash(visit_of(state)).parts);
}

TEST(Visitor, HashesPartsOfAnyLength) {
    std::vector<std::uint8_t> bytes(3000);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(i * 131 + i / 251);
    }
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const auto whole = hash_bytes(std::as_bytes(std::span(bytes.data(), size)));
        const auto at_once = visited_hash(
            [&](isotick_visitor* v) { isotick_u8_array(v, "bytes", bytes.data(), size); });
        const auto in_pieces = visited_hash([&](isotick_visitor* v) {
            isotick_begin_object(v, "bytes");
            for (std::size_t at = 0; at < size; at += 97) {
                isotick_u8_array(v, nullptr, &bytes[at], std::min<std::size_t>(97, size - at));
            }
            isotick_end(v);
        });
        ASSERT_EQ(at_once.parts.at(0).second, whole) << size;
        ASSERT_EQ(in_pieces.parts.at(0).second, whole) << size;
    }
}

TEST(Visitor, ShowsTheFieldsThatCppDoes) {
    visited_state state = example();
    const Visited made = visited_fields(visit_of(state));
    EXPECT_EQ(made.failure, "");
    const Bytes twin = fields_of(Twin(state));
    EXPECT_THAT(compare_fields(made.bytes, twin, 10).value().listed, IsEmpty());

    state.units[0].orders[2] = 10;
    state.corners[1].y = 5;
    const Visited changed = visited_fields(visit_of(state));
    std::vector<std::string> lines;
    const FieldDifferences found = compare_fields(twin, changed.bytes, 10).value();
    for (const FieldDifference& difference : found.listed) {
        lines.push_back(to_string(difference));
    }
    EXPECT_THAT(lines, ElementsAre("corners[1].y  -4 → 5", "units[0].orders[2]  9 → 10"));
}

TEST(Visitor, WritesTheExampleOfTheFieldStreams) {
    std::uint32_t counter = 42;
    const Visited made =
        visited_fields([&](isotick_visitor* v) { isotick_u32(v, "counter", &counter); });
    const std::string_view stream(
        "\x01\x10\x03\x07"
        "counter"
        "\x22\x2a\0\0\0\x11\0",
        18);
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size()),
              stream);
}

TEST(Visitor, LoadsWhatItSaved) {
    visited_state state = example();
    const Visited saved = visited_save(visit_of(state));
    EXPECT_EQ(saved.failure, "");
    visited_state loaded{};
    loaded.unit_count = 4;
    std::strcpy(loaded.motto, "another");
    EXPECT_EQ(visited_load(visit_of(loaded), saved.bytes), "");
    EXPECT_EQ(visited_save(visit_of(loaded)).bytes, saved.bytes);
    EXPECT_EQ(visited_hash(visit_of(loaded)).parts, visited_hash(visit_of(state)).parts);
    EXPECT_STREQ(loaded.motto, "hold");
    EXPECT_EQ(loaded.unit_count, 2);
    EXPECT_EQ(loaded.units[0].orders[2], 9);
}

TEST(Visitor, RefusesEverySnapshotThatIsCut) {
    visited_state state = example();
    const Visited saved = visited_save(visit_of(state));
    for (std::size_t size = 0; size < saved.bytes.size(); ++size) {
        // Memory of its own, so that a byte too many is seen by the sanitizers.
        const std::vector<std::byte> cut(saved.bytes.begin(),
                                         saved.bytes.begin() + static_cast<std::ptrdiff_t>(size));
        visited_state loaded{};
        EXPECT_NE(visited_load(visit_of(loaded), cut), "") << size;
    }
    Bytes longer = saved.bytes;
    longer.push_back({});
    visited_state loaded{};
    EXPECT_EQ(visited_load(visit_of(loaded), longer),
              "the snapshot has extra bytes after the state");
}

// Bytes as a snapshot has them.
Bytes snapshot(std::string_view text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

TEST(Visitor, RefusesSnapshotsThatMakeNoSense) {
    using namespace std::string_view_literals;
    bool flag = false;
    EXPECT_EQ(
        visited_load([&](isotick_visitor* v) { isotick_bool(v, "b", &flag); }, snapshot("\x02"sv)),
        "a bool is neither 0 nor 1");
    std::array<std::uint8_t, 2> list{};
    const auto visit_list = [&](isotick_visitor* v) { isotick_u8_list(v, "l", list.data(), 0, 2); };
    EXPECT_EQ(visited_load(visit_list, snapshot("\2\0\0\0\0\0\0\0ab"sv)), "");
    EXPECT_EQ(visited_load(visit_list, snapshot("\3\0\0\0\0\0\0\0abc"sv)),
              "a list or text is longer than there is room or bytes for");
    EXPECT_EQ(visited_load(visit_list, snapshot("\0\0\0\0\1\0\0\0"sv)),
              "a list or text is longer than there is room or bytes for");
    std::uint32_t count = 9;
    const auto make_room = [&](isotick_visitor* v) {
        count = isotick_begin_list(v, "l", 0, 1000000);
        isotick_end(v);
    };
    EXPECT_EQ(visited_load(make_room, snapshot("\3\0\0\0\0\0\0\0ab"sv)),
              "a list or text is longer than there is room or bytes for");
    EXPECT_EQ(count, 0);
    std::array<char, 3> text{};
    const auto visit_text = [&](isotick_visitor* v) { isotick_text(v, "t", text.data(), 3); };
    EXPECT_EQ(visited_load(visit_text, snapshot("\2\0\0\0\0\0\0\0ab"sv)), "");
    EXPECT_EQ(visited_load(visit_text, snapshot("\3\0\0\0\0\0\0\0abc"sv)),
              "a list or text is longer than there is room or bytes for");
    EXPECT_EQ(visited_load(visit_text, snapshot("\2\0\0\0\0\0\0\0a\0"sv)),
              "a text has a NUL within");
}

// However it is visited.
template <class Visit>
std::vector<std::string> failures(const Visit& visit) {
    return {visited_hash(visit).failure, visited_save(visit).failure,
            visited_fields(visit).failure};
}

TEST(Visitor, TellsMistakes) {
    std::uint8_t number = 1;
    const auto fails_with = [](const char* why) { return ElementsAre(why, why, why); };
    EXPECT_THAT(failures([&](isotick_visitor* v) { isotick_u8(v, nullptr, &number); }),
                fails_with("a value at the top of the state has no name"));
    EXPECT_THAT(failures([&](isotick_visitor* v) { isotick_begin_object(v, "o"); }),
                fails_with("an isotick_end is missing"));
    EXPECT_THAT(failures([&](isotick_visitor* v) { isotick_end(v); }),
                fails_with("there is one isotick_end too many"));
    EXPECT_THAT(failures([&](isotick_visitor* v) { isotick_begin_list(v, "l", 3, 2); }),
                fails_with("a list or text is longer than there is room or bytes for"));
    std::array<char, 2> open = {'a', 'b'};
    EXPECT_THAT(failures([&](isotick_visitor* v) { isotick_text(v, "t", open.data(), 2); }),
                fails_with("a text does not end within its array"));
    EXPECT_THAT(failures([&](isotick_visitor* v) { isotick_fail_visit(v, "my own"); }),
                fails_with("my own"));
    EXPECT_THAT(failures([&](isotick_visitor* v) {
                    for (int i = 0; i < 65; ++i) {
                        isotick_begin_object(v, "o");
                    }
                }),
                fails_with("the state is nested more than 64 deep"));
}

TEST(Visitor, NestsAsDeeplyAsItSays) {
    std::uint8_t number = 1;
    const auto visit = [&](isotick_visitor* v) {
        for (unsigned i = 0; i < ISOTICK_DEEPEST_VISIT; ++i) {
            i % 2 == 0 ? isotick_begin_object(v, "o") : isotick_begin_array(v, "a", 1);
        }
        isotick_u8(v, nullptr, &number);
        for (unsigned i = 0; i < ISOTICK_DEEPEST_VISIT; ++i) {
            isotick_end(v);
        }
    };
    EXPECT_THAT(failures(visit), ElementsAre("", "", ""));
    const Visited made = visited_fields(visit);
    EXPECT_THAT(compare_fields(made.bytes, made.bytes, 1).value().listed, IsEmpty());
}

TEST(Visitor, RefusesMorePartsThanThereIsRoomFor) {
    std::uint8_t number = 1;
    const auto visit = [&](isotick_visitor* v) {
        isotick_u8(v, "a", &number);
        isotick_u8(v, "b", &number);
    };
    EXPECT_THAT(visited_hash(visit, nullptr, 2).parts, SizeIs(2));
    EXPECT_EQ(visited_hash(visit, nullptr, 1).failure,
              "the state has more parts than there is room for");
}

TEST(Visitor, StopsWhenTheSinkDoes) {
    visited_state state = example();
    int calls = 0;
    const isotick_sink sink = {&calls, [](void* context, const void*, std::uint64_t) {
                                   return ++*static_cast<int*>(context) == 2 ? ISOTICK_FAILED
                                                                             : ISOTICK_OK;
                               }};
    isotick_visitor v;
    isotick_begin_save(&v, &sink, nullptr);
    visit_state(&v, &state);
    EXPECT_EQ(isotick_end_save(&v), ISOTICK_FAILED);
    EXPECT_EQ(calls, 2);
}

TEST(Visitor, LocatesEachValueByItsPath) {
    struct {
        std::int32_t score = 1;
        std::array<float, 3> heights{};
        std::array<visited_corner, 2> corners{};
        std::array<std::array<std::uint16_t, 2>, 2> grid{};
        std::array<char, 8> motto{'h', 'i'};
    } state;
    const auto visit = [&state](isotick_visitor* v) {
        isotick_i32(v, "score", &state.score);
        isotick_f32_array(v, "heights", state.heights.data(), state.heights.size());
        isotick_begin_object(v, "world");
        isotick_begin_list(v, "corners", 2, 2);
        for (visited_corner& corner : state.corners) {
            isotick_begin_object(v, nullptr);
            isotick_i16(v, "x", &corner.x);
            isotick_fixed32(v, "y", &state.score, 8);
            isotick_end(v);
        }
        isotick_end(v);
        isotick_begin_array(v, "grid", 2);
        for (auto& line : state.grid) {
            isotick_u16_list(v, nullptr, line.data(), 2, 2);
        }
        isotick_end(v);
        isotick_text(v, "motto", state.motto.data(), 8);
        isotick_u8_list(v, "empty", nullptr, 0, 4);
        isotick_end(v);
    };
    std::string failure;
    const std::vector<Located> located = visited_memory(visit, failure);
    EXPECT_EQ(failure, "");
    const std::vector<Located> expected{{"score", &state.score, 4},
                                        {"heights[*]", state.heights.data(), 12},
                                        {"world.corners[*].x", &state.corners[0].x, 2},
                                        {"world.corners[*].y", &state.score, 4},
                                        {"world.corners[*].x", &state.corners[1].x, 2},
                                        {"world.corners[*].y", &state.score, 4},
                                        {"world.grid[*][*]", state.grid[0].data(), 4},
                                        {"world.grid[*][*]", state.grid[1].data(), 4},
                                        {"world.motto", state.motto.data(), 3}};
    EXPECT_EQ(located, expected);
    EXPECT_EQ(visited_memory(visit, failure, 4).size(), 4U);
    EXPECT_EQ(failure, "failed: ") << "the host knows why";
}

TEST(Visitor, LocatesStructsMemberByMember) {
    struct Unit {
        float x;
        std::array<std::uint16_t, 3> orders;
    };
    std::array<Unit, 2> units{};
    const std::vector<isotick_member> members{ISOTICK_MEMBER(Unit, x, f32),
                                              ISOTICK_MEMBERS(Unit, orders, u16)};
    std::string failure;
    const auto located = visited_memory(
        [&](isotick_visitor* v) {
            isotick_structs(v, "units", units.data(), 2, sizeof(Unit), members.data(), 2);
        },
        failure);
    EXPECT_EQ(failure, "");
    const std::vector<Located> expected{{"units[*].x", &units[0].x, 4},
                                        {"units[*].orders[*]", units[0].orders.data(), 6},
                                        {"units[*].x", &units[1].x, 4},
                                        {"units[*].orders[*]", units[1].orders.data(), 6}};
    EXPECT_EQ(located, expected);
}

TEST(Visitor, LeavesOutValuesWhosePathsAreTooLong) {
    std::int32_t value = 0;
    std::string failure;
    for (std::size_t length = 240; length < 270; ++length) {
        const std::string name(length, 'n');
        const auto located = visited_memory(
            [&](isotick_visitor* v) {
                isotick_begin_object(v, name.c_str());
                isotick_i32(v, "x", &value);
                isotick_begin_list(v, "y", 1, 1);
                isotick_i32(v, nullptr, &value);
                isotick_end(v);
                isotick_end(v);
                isotick_i32(v, "z", &value);
            },
            failure);
        EXPECT_EQ(failure, "");
        std::vector<Located> expected{{"z", &value, 4}};
        if (length + 5 < 255) {
            expected.insert(expected.begin(), {name + ".y[*]", &value, 4});
        }
        if (length + 2 <= 255 && length < 255) {
            expected.insert(expected.begin(), {name + ".x", &value, 4});
        }
        EXPECT_EQ(located, expected) << length;
    }
}

}  // namespace
}  // namespace isotick::core
