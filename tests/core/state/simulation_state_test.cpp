// save, load and fields across the seam.

#include "c_simulations.h"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/core/simulation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SimulationSetup setup_for(const isotick_info& info, std::uint64_t seed) {
    SimulationSetup setup;
    setup.players = info.usual_players;
    setup.seed = seed;
    return setup;
}

// A simulation and what drives it: its own bot.
struct Driven {
    Driven(const isotick_simulation_table& table, std::uint64_t seed)
        : simulation(Simulation::create(table, setup_for(*table.info, seed)).value()),
          players(table.info->usual_players) {}

    void step(std::uint64_t tick) {
        std::vector<std::vector<std::uint8_t>> bytes(players + 1);
        std::vector<isotick_input> inputs;
        for (std::uint32_t player = 0; player <= players; ++player) {
            const bool world = player == players;
            inputs.push_back(world ? isotick_input{ISOTICK_WORLD, 0, 0, nullptr}
                                   : simulation
                                         .propose_input(player, Tick{tick},
                                                        tick * 0x9e3779b97f4a7c15ULL + player,
                                                        bytes[player])
                                         .value());
        }
        ASSERT_TRUE(simulation.step(Tick{tick}, inputs));
    }
    StateHash hash() { return simulation.hash().value(); }

    Simulation simulation;
    std::uint32_t players;
};

class Reference : public ::testing::TestWithParam<const char*> {
  protected:
    const isotick_simulation_table& table() { return *find_reference_simulation(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(State, Reference, ::testing::Values("spring", "skirmish"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(Reference, RunsOnAfterALoadAsItWouldHave) {
    Driven original(table(), 1);
    for (std::uint64_t tick = 0; tick < 200; ++tick) {
        original.step(tick);
    }
    const auto snapshot = original.simulation.save().value();
    Driven restored(table(), 1);
    ASSERT_TRUE(restored.simulation.load(snapshot));
    EXPECT_EQ(restored.hash(), original.hash());
    for (std::uint64_t tick = 200; tick < 500; ++tick) {
        original.step(tick);
        restored.step(tick);
        ASSERT_EQ(restored.hash(), original.hash()) << "tick " << tick;
    }
}

TEST_P(Reference, SavingAndShowingLeaveTheStateAlone) {
    Driven watched(table(), 1);
    Driven alone(table(), 1);
    for (std::uint64_t tick = 0; tick < 50; ++tick) {
        ASSERT_TRUE(watched.simulation.save());
        ASSERT_TRUE(watched.simulation.fields());
        watched.step(tick);
        alone.step(tick);
        ASSERT_EQ(watched.hash(), alone.hash());
    }
}

TEST_P(Reference, ADamagedSnapshotIsAnErrorOrAnotherStateButNoCrash) {
    Driven good(table(), 1);
    good.step(0);
    const auto snapshot = good.simulation.save().value();
    for (std::size_t i = 0; i < snapshot.size(); i += 1 + snapshot.size() / 500) {
        Driven cut(table(), 1);
        EXPECT_FALSE(cut.simulation.load(std::span(snapshot).first(i)));
        auto flipped = snapshot;
        flipped[i] ^= std::byte{0x40};
        Driven other(table(), 1);
        if (other.simulation.load(flipped)) {
            EXPECT_TRUE(other.simulation.hash());
        }
    }
}

TEST(SimulationState, DifferencesOfTwoSkirmishesAreNamed) {
    const auto& table = *find_reference_simulation("skirmish");
    Driven one(table, 1);
    Driven other(table, 1);
    one.step(0);
    other.step(0);
    const auto before = one.simulation.fields().value();
    FieldComparison same(before);
    ASSERT_TRUE(other.simulation.write_fields(same.sink()));
    EXPECT_EQ(same.finish(10).value().total, 0U);
    EXPECT_EQ(same.kept(), 0U);
    other.step(1);
    const auto found = compare_fields(before, other.simulation.fields().value(), 1).value();
    EXPECT_EQ(to_string(found.listed.at(0)), "world.ticks  1 → 2");
}

TEST(SimulationState, ASnapshotOfAnotherSimulationIsRefused) {
    Driven spring(*find_reference_simulation("spring"), 1);
    Driven skirmish(*find_reference_simulation("skirmish"), 1);
    const auto loaded = spring.simulation.load(skirmish.simulation.save().value());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::simulation);
    EXPECT_THAT(loaded.error().message,
                HasSubstr("load failed: the snapshot is of another build: member `body.position` "
                          "is new in this build"));
}

struct Plain {
    static constexpr SimulationInfo kInfo{.name = "plain"};
    void step(const Step&) {}
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
    int value = 0;
};
struct OptedOut : Plain {
    static constexpr bool kCanSave = false;
    static constexpr bool kHasFields = false;
    static constexpr bool kHasMemory = false;
};
struct WriteOnly {
    static constexpr SimulationInfo kInfo{.name = "write-only"};
    void step(const Step&) {}
    template <class Archive>
    void save(Archive& archive) const {
        archive(CEREAL_NVP(value));
    }
    int value = 0;
};

TEST(SimulationState, IsOfferedByTypesThatCanAndMay) {
    const auto capabilities = [](const isotick_simulation_table& table) {
        EXPECT_TRUE(check_table(&table));
        const auto simulation = Simulation::create(table, {}).value();
        return std::vector<bool>{simulation.can_save(), simulation.has_fields(),
                                 simulation.has_memory()};
    };
    EXPECT_THAT(capabilities(simulation_table<Plain>()), ElementsAre(true, true, true));
    EXPECT_THAT(capabilities(simulation_table<OptedOut>()), ElementsAre(false, false, false));
    EXPECT_THAT(capabilities(simulation_table<WriteOnly>()), ElementsAre(false, true, true));
    EXPECT_THAT(capabilities(*plain_c_simulation()), ElementsAre(false, false, false));
    EXPECT_THAT(capabilities(*c_simulation()), ElementsAre(true, true, true));
}

TEST(SimulationState, OfACPluginShowsItsMemory) {
    auto simulation = Simulation::create(*c_simulation(), {}).value();
    const auto map = map_memory(simulation).value();
    ASSERT_EQ(map.types.size(), 1U);
    EXPECT_EQ(map.types[0].name, "isotick_simulation");
    EXPECT_TRUE(map.types[0].unseen.empty());
    ASSERT_EQ(map.paths.size(), 1U);
    const auto before = simulation.hash().value();
    *map.paths[0].samples.at(0).address ^= std::byte{1};
    EXPECT_NE(simulation.hash().value(), before);
}

TEST(SimulationState, ThatCannotBeVisitedIsAnErrorWithItsReason) {
    auto simulation = Simulation::create(simulation_table<Plain>(), {}).value();
    isotick_memory_visitor unwilling{};
    unwilling.begin_object = [](void*, const char*, void*, std::uint64_t) {
        return ISOTICK_FAILED;
    };
    const auto visited = simulation.visit_memory(unwilling);
    ASSERT_FALSE(visited);
    EXPECT_THAT(visited.error().message,
                HasSubstr("visit_memory failed: the memory visitor accepts"));
}

TEST(SimulationState, OfACPluginIsSavedLoadedAndShown) {
    auto simulation =
        Simulation::create(*c_simulation(),
                           {.rate = {}, .players = 0, .seed = 41, .config = {}, .environment = {}})
            .value();
    const auto snapshot = simulation.save().value();
    const auto before = simulation.fields().value();
    ASSERT_TRUE(simulation.step(Tick{0}, {}));
    const auto found = compare_fields(before, simulation.fields().value(), 5).value();
    ASSERT_EQ(found.total, 1U);
    EXPECT_EQ(to_string(found.listed[0]), "counter  41 → 42");
    ASSERT_TRUE(simulation.load(snapshot));
    EXPECT_EQ(simulation.fields().value(), before);
    const auto refused = simulation.load(std::span(snapshot).first(3));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "load failed: four bytes are wanted");
}

}  // namespace
}  // namespace isotick::core
