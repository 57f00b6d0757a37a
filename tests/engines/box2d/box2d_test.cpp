#include <isotick/core/simulation.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

constexpr std::uint64_t kTicks = 600;

// The table as the plug-in exports it; the library stays loaded.
const isotick_simulation_table& table() {
    static const isotick_simulation_table* const loaded = [] {
        void* library = dlopen(ISOTICK_BOX2D_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        void* entry = library == nullptr ? nullptr : dlsym(library, ISOTICK_PLUGIN_ENTRY);
        return entry == nullptr ? nullptr
                                : reinterpret_cast<isotick_simulation_entry_function>(entry)();
    }();
    EXPECT_NE(loaded, nullptr) << dlerror();
    return *loaded;
}

SimulationSetup setup_for(std::uint64_t seed) {
    return {.rate = {}, .players = 1, .seed = seed, .config = {}, .environment = {}};
}

Simulation pile(std::uint64_t seed) {
    return Simulation::create(table(), setup_for(seed)).value();
}

// One player's push at one tick.
struct Push {
    std::uint64_t tick;
    std::array<std::uint8_t, 4> bytes;
};

// The hash before tick 0 and after each tick.
std::vector<StateHash> hashes_of(std::uint64_t seed, std::optional<Push> push = {}) {
    Simulation simulation = pile(seed);
    std::vector<StateHash> hashes{simulation.hash().value()};
    for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
        std::array<isotick_input, 2> inputs{{{0, 0, 0, nullptr}, {ISOTICK_WORLD, 0, 0, nullptr}}};
        if (push && push->tick == tick) {
            inputs[0] = {0, 1, push->bytes.size(), push->bytes.data()};
        }
        EXPECT_TRUE(simulation.step(Tick{tick}, inputs));
        hashes.push_back(simulation.hash().value());
    }
    return hashes;
}

// The first tick after which two runs differ; kTicks where none does.
std::uint64_t first_difference(const std::vector<StateHash>& a, const std::vector<StateHash>& b) {
    const auto places = std::mismatch(a.begin() + 1, a.end(), b.begin() + 1);
    return static_cast<std::uint64_t>(places.first - a.begin() - 1);
}

TEST(Box2d, TheSameSeedAndInputsGiveTheSameHashes) {
    const Push push{100, {7, 0, 40, 40}};
    EXPECT_EQ(hashes_of(1, push), hashes_of(1, push));
}

TEST(Box2d, EveryTickOfAFallingPileHasAHashOfItsOwn) {
    auto hashes = hashes_of(1);
    std::sort(hashes.begin(), hashes.begin() + 60);
    EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.begin() + 60), hashes.begin() + 60);
}

TEST(Box2d, APushChangesTheHashFromItsTickOn) {
    EXPECT_EQ(first_difference(hashes_of(1), hashes_of(1, Push{100, {7, 0, 1, 0}})), 100U);
}

TEST(Box2d, BytesThatAreNoPushChangeNothing) {
    Simulation with = pile(1);
    Simulation without = pile(1);
    const std::uint8_t three[] = {7, 0, 40};
    const isotick_input odd[] = {{0, 1, 3, three}, {ISOTICK_WORLD, 0, 0, nullptr}};
    const isotick_input none[] = {{0, 0, 0, nullptr}, {ISOTICK_WORLD, 0, 0, nullptr}};
    ASSERT_TRUE(with.step(Tick{0}, odd));
    ASSERT_TRUE(without.step(Tick{0}, none));
    EXPECT_EQ(with.hash().value(), without.hash().value());
}

TEST(Box2d, AnotherSeedIsAnotherPile) {
    EXPECT_NE(pile(1).hash().value(), pile(2).hash().value());
}

TEST(Box2d, ItsPartsAreBodiesAndContacts) {
    Simulation simulation = pile(1);
    ASSERT_TRUE(simulation.hash());
    EXPECT_EQ(simulation.part_names(), (std::vector<std::string>{"bodies", "contacts"}));
}

TEST(Box2d, ItsBotPushesForPlayersOnly) {
    Simulation simulation = pile(1);
    std::vector<std::uint8_t> buffer;
    const auto push = simulation.propose_input(0, Tick{0}, 0x1234567800U, buffer).value();
    EXPECT_EQ(push.present, 1U);
    EXPECT_EQ(push.size, 4U);
    EXPECT_EQ(simulation.propose_input(0, Tick{0}, 1, buffer).value().present, 0U);
    EXPECT_EQ(simulation.propose_input(ISOTICK_WORLD, Tick{0}, 0, buffer).value().present, 0U);
}

TEST(Box2d, RefusesMoreBodiesThanItStatesItTakes) {
    SimulationSetup setup = setup_for(1);
    ASSERT_TRUE(setup.config.set("bodies", "2001"));
    const auto created = Simulation::create(table(), setup);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace isotick::core
