// The memory of the reference simulations: what is shown is what the hash sees, and what the
// planted faults forget is found unseen.

#include "../reference/frames.hpp"
#include "memory_support.hpp"
#include "piles/pile.hpp"
#include "piles/piles.hpp"
#include "reference/skirmish/skirmish.hpp"

#include <isotick/core/detail/reference.hpp>

#include <array>
#include <cctype>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

std::string as_test_name(std::string name) {
    for (char& letter : name) {
        letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    }
    return name;
}

std::vector<const char*> all_names() {
    std::vector<const char*> names;
    for (const auto tables : {reference_simulations(), pile_simulations()}) {
        for (const isotick_simulation_table* table : tables) {
            names.push_back(table->info->name);
        }
    }
    return names;
}

// A simulation that has run for some ticks.
Simulation run(const char* name) {
    const auto players = find_simulation(name)->info->usual_players;
    const auto session = bot_inputs(name, setup_of(players), 100);
    Simulation simulation = create(name, setup_of(players));
    for (std::uint64_t tick = 0; tick < session.size(); ++tick) {
        step(simulation, tick, session[tick]);
    }
    return simulation;
}

class ReferenceMemory : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, ReferenceMemory, ::testing::ValuesIn(all_names()),
                         [](const auto& param) { return as_test_name(param.param); });

TEST_P(ReferenceMemory, IsSettableWhereTheHashSeesIt) {
    Simulation simulation = run(GetParam());
    ASSERT_TRUE(simulation.has_memory());
    const MemoryMap map = map_memory(simulation).value();
    const StateHash before = simulation.hash().value();
    std::size_t set = 0;
    for (const MemoryPathClass& path : map.paths) {
        for (const MemoryPlace& place : path.samples) {
            std::byte& last = place.address[place.size - 1];
            last ^= std::byte{1};
            EXPECT_NE(simulation.hash().value(), before) << path.path;
            last ^= std::byte{1};
            ++set;
        }
    }
    EXPECT_GE(set, 3U);
    EXPECT_EQ(simulation.hash().value(), before);
}

TEST_P(ReferenceMemory, IsTheSameMapEveryTime) {
    Simulation one = run(GetParam());
    Simulation other = run(GetParam());
    const MemoryMap a = map_memory(one).value();
    const MemoryMap b = map_memory(other).value();
    ASSERT_EQ(a.types.size(), b.types.size());
    for (std::size_t i = 0; i < a.types.size(); ++i) {
        EXPECT_EQ(a.types[i].name, b.types[i].name);
        EXPECT_EQ(a.types[i].objects, b.types[i].objects);
        EXPECT_EQ(a.types[i].unseen.size(), b.types[i].unseen.size());
    }
    ASSERT_EQ(a.paths.size(), b.paths.size());
    for (std::size_t i = 0; i < a.paths.size(); ++i) {
        EXPECT_EQ(a.paths[i].path, b.paths[i].path);
        EXPECT_EQ(a.paths[i].settable, b.paths[i].settable);
    }
}

// Has its own member where a variant of Base has the one that is added there.
template <class Base, class Member>
struct BaseAnd : Base {
    using Base::Base;
    Member added{};
};

template <class Base, class Member>
std::uint64_t offset_of_added() {
    const BaseAnd<Base, Member> variant(setup_of(2));
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&variant.added) -
                                      reinterpret_cast<const std::byte*>(&variant));
}

// Whether the root object has bytes from `offset` on that nothing sees.
bool root_hides(const char* name, std::uint64_t offset, std::uint64_t size) {
    Simulation simulation = run(name);
    const MemoryMap map = map_memory(simulation).value();
    const auto& ranges = map.types.at(0).unseen;
    return std::any_of(ranges.begin(), ranges.end(), [&](const UnseenRange& range) {
        return range.offset <= offset && range.offset + range.size >= offset + size;
    });
}

TEST(FaultMemory, TheMemberThatIsMissingIsUnseen) {
    const std::uint64_t offset = offset_of_added<reference::Pile, std::uint32_t>();
    EXPECT_TRUE(root_hides("fault:missing", offset, sizeof(std::uint32_t)));
    EXPECT_FALSE(root_hides("fault:missing-from-save", offset, sizeof(std::uint32_t)));
}

TEST(FaultMemory, TheStaleCacheIsUnseen) {
    using Point = std::array<float, 2>;
    EXPECT_TRUE(root_hides("fault:stale-cache", offset_of_added<reference::Skirmish, Point>(),
                           sizeof(Point)));
}

TEST(FaultMemory, ThePaddingThatIsHashedByHandIsUnseen) {
    Simulation simulation = run("fault:padding");
    const MemoryMap map = map_memory(simulation).value();
    const MemoryType type = type_called(map, "isotick::core::reference::PaddingPile::LastDrop");
    ASSERT_EQ(type.unseen.size(), 1U);
    EXPECT_EQ(type.unseen[0].offset, 1U);
    EXPECT_EQ(type.unseen[0].size, alignof(std::uint64_t) - 1);
}

TEST(FaultMemory, TheStateOfAPileIsSeenWhole) {
    Simulation simulation = run("pile");
    const MemoryMap map = map_memory(simulation).value();
    EXPECT_EQ(types_with_unseen(map), std::vector<std::string>{"isotick::core::reference::Pile"});
}

}  // namespace
}  // namespace isotick::core::core_tests
