// What every engine's plug-in must do; ISOTICK_ENGINES names them: `ode=/path/to/it.so,…`.

#include "support/engine_run.hpp"

#include <isotick/core/detail/field_difference.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

#include <gtest/gtest.h>

namespace isotick::engines {
namespace {

constexpr std::uint64_t kTicks = 600;

struct Plugin {
    std::string name;
    const isotick_simulation_table* table;
};

void PrintTo(const Plugin& plugin, std::ostream* out) {
    *out << plugin.name;
}

std::string name_of(const testing::TestParamInfo<Plugin>& info) {
    return info.param.name;
}

std::vector<Plugin> all_plugins() {
    std::vector<Plugin> plugins;
    std::istringstream list(ISOTICK_ENGINES);
    for (std::string entry; std::getline(list, entry, ',');) {
        const auto equals = entry.find('=');
        plugins.push_back({entry.substr(0, equals), load_table(entry.substr(equals + 1))});
    }
    return plugins;
}

std::vector<Plugin> plugins_that_can_save() {
    auto plugins = all_plugins();
    std::erase_if(plugins, [](const Plugin& plugin) {
        return plugin.table == nullptr ||
               (plugin.table->info->capabilities & ISOTICK_CAN_SAVE) == 0;
    });
    return plugins;
}

class Engine : public testing::TestWithParam<Plugin> {
  protected:
    void SetUp() override { ASSERT_NE(GetParam().table, nullptr); }

    static EngineRun run(std::uint64_t seed = 1) { return {*GetParam().table, seed}; }

    // The hash after each tick, and before tick 0.
    static std::vector<core::StateHash> hashes_of(const std::optional<InputAt>& push = {}) {
        EngineRun simulation = run();
        std::vector<core::StateHash> hashes{simulation.hash()};
        while (simulation.tick() < kTicks) {
            simulation.step(push);
            hashes.push_back(simulation.hash());
        }
        return hashes;
    }
};

class EngineSnapshot : public Engine {};

INSTANTIATE_TEST_SUITE_P(Each, Engine, testing::ValuesIn(all_plugins()), name_of);
INSTANTIATE_TEST_SUITE_P(Each, EngineSnapshot, testing::ValuesIn(plugins_that_can_save()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineSnapshot);

TEST_P(Engine, HasATableThatCanBeUsed) {
    EXPECT_TRUE(core::check_table(GetParam().table));
    EXPECT_EQ(GetParam().table->info->name, GetParam().name);
}

TEST_P(Engine, TheSameSeedAndInputsGiveTheSameHashes) {
    const InputAt push{100, {7, 0, 40, 40}};
    EXPECT_EQ(hashes_of(push), hashes_of(push));
}

TEST_P(Engine, EveryTickOfTheFirstSecondHasAHashOfItsOwn) {
    auto hashes = hashes_of();
    std::sort(hashes.begin(), hashes.begin() + 60);
    EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.begin() + 60), hashes.begin() + 60);
}

TEST_P(Engine, APushChangesTheHashFromItsTickOn) {
    const auto without = hashes_of();
    const auto with = hashes_of(InputAt{100, {7, 0, 1, 0}});
    const auto first = std::mismatch(with.begin(), with.end(), without.begin()).first;
    EXPECT_EQ(first - with.begin(), 101);
    for (std::size_t i = 101; i < 400; ++i) {
        EXPECT_NE(with[i], without[i]) << "after tick " << i - 1;
    }
}

TEST_P(Engine, BytesThatAreNoPushChangeNothing) {
    EngineRun with = run();
    EngineRun without = run();
    const std::uint8_t three[] = {7, 0, 40};
    const isotick_input odd[] = {{0, 1, 3, three}, {ISOTICK_WORLD, 0, 0, nullptr}};
    ASSERT_TRUE(with.simulation().step(core::Tick{0}, odd));
    without.step();
    EXPECT_EQ(with.hash(), without.hash());
}

TEST_P(Engine, AnotherSeedIsAnotherPile) {
    EXPECT_NE(run(1).hash(), run(2).hash());
}

TEST_P(Engine, ItsFirstPartIsTheBodies) {
    EngineRun simulation = run();
    static_cast<void>(simulation.hash());
    EXPECT_EQ(simulation.simulation().part_names().front(), "bodies");
}

TEST_P(Engine, ItsBotPushesForPlayersOnly) {
    EngineRun pile = run();
    core::Simulation& simulation = pile.simulation();
    std::vector<std::uint8_t> buffer;
    const auto push = simulation.propose_input(0, core::Tick{0}, 0x1234567800U, buffer).value();
    EXPECT_EQ(push.present, 1U);
    EXPECT_EQ(push.size, 4U);
    const auto chance = [&](std::uint32_t player, std::uint64_t entropy) {
        return simulation.propose_input(player, core::Tick{0}, entropy, buffer).value().present;
    };
    EXPECT_EQ(chance(0, 1), 0U);
    EXPECT_EQ(chance(ISOTICK_WORLD, 0), 0U);
}

TEST_P(Engine, RefusesMoreBodiesThanItStatesItTakes) {
    core::SimulationSetup setup{
        .rate = {}, .players = 1, .seed = 1, .config = {}, .environment = {}};
    ASSERT_TRUE(setup.config.set("bodies", "2001"));
    const auto created = core::Simulation::create(*GetParam().table, setup);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, core::ErrorCode::usage);
}

// What the fields of that name are after `kTicks` ticks, as far as they changed.
std::vector<double> fields_after(EngineRun& simulation, const std::string& name) {
    const auto before = simulation.simulation().fields().value();
    simulation.run_to(kTicks);
    const auto after = simulation.simulation().fields().value();
    std::vector<double> values;
    const auto changed = core::compare_fields(before, after, 100).value();
    for (const core::FieldDifference& field : changed.listed) {
        if (field.path.starts_with("bodies[") && field.path.ends_with("]." + name)) {
            values.push_back(std::stod(field.after));
        }
    }
    return values;
}

TEST_P(Engine, ItsBodiesStayWithinTheWalls) {
    for (const char* axis : {"position.x", "position.y"}) {
        EngineRun simulation = run();
        const auto places = fields_after(simulation, axis);
        ASSERT_GE(places.size(), 20U) << axis;
        const auto [least, most] = std::minmax_element(places.begin(), places.end());
        EXPECT_GT(*least, axis == std::string("position.y") ? -0.1 : -10.1) << axis;
        EXPECT_LT(*most, axis == std::string("position.y") ? 30.0 : 10.1) << axis;
    }
}

TEST_P(Engine, AnotherWorldThatTakesTurnsWithItChangesNothing) {
    EngineRun alone = run();
    alone.run_to(kTicks);
    EngineRun first = run();
    EngineRun second = run(2);
    while (first.tick() < kTicks) {
        second.step_with_bot();
        first.step_with_bot();
    }
    EXPECT_EQ(first.hash(), alone.hash());
}

TEST_P(EngineSnapshot, RestoredElsewhereHasTheSameFuture) {
    EngineRun original = run();
    original.run_to(200);
    const auto snapshot = original.simulation().save().value();
    EngineRun restored = run();
    restored.step(InputAt{0, {3, 0, 100, 100}});  // a history of its own
    restored.run_to(77);
    restored.load(snapshot, 200);
    EXPECT_EQ(restored.hash(), original.hash());
    while (original.tick() < kTicks) {
        original.step_with_bot();
        restored.step_with_bot();
        ASSERT_EQ(restored.hash(), original.hash()) << "after tick " << original.tick() - 1;
    }
}

TEST_P(EngineSnapshot, RolledBackInEveryTickHasTheSameFuture) {
    EngineRun straight = run();
    straight.run_to(kTicks);
    EngineRun rolled_back = run();
    while (rolled_back.tick() < kTicks) {
        const std::uint64_t tick = rolled_back.tick();
        const auto snapshot = rolled_back.simulation().save().value();
        rolled_back.step(InputAt{tick, {3, 0, 100, 100}});  // a wrong guess
        rolled_back.load(snapshot, tick);
        rolled_back.step_with_bot();
    }
    EXPECT_EQ(rolled_back.hash(), straight.hash());
}

TEST_P(EngineSnapshot, RefusesTheStateOfAnotherNumberOfBodies) {
    core::Settings config;
    ASSERT_TRUE(config.set("bodies", "5"));
    EngineRun few(*GetParam().table, 1, config);
    EXPECT_FALSE(run().simulation().load(few.simulation().save().value()));
}

}  // namespace
}  // namespace isotick::engines
