#include "frames.hpp"
#include "piles/piles.hpp"

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReferenceSimulations, AreTheseSortedByName) {
    std::vector<std::string> names;
    for (const isotick_simulation_table* table : reference_simulations()) {
        names.emplace_back(table->info->name);
    }
    EXPECT_THAT(names, ElementsAre("control:alpha", "control:frame-time", "control:long-frame",
                                   "control:render-random", "fault:stale-cache", "skirmish",
                                   "spring", "twin:alpha", "twin:frame-time", "twin:long-frame",
                                   "twin:render-random"));
}

TEST(ReferenceSimulations, CanAllBeUsedAndHaveABot) {
    for (const isotick_simulation_table* table : reference_simulations()) {
        EXPECT_TRUE(check_table(table)) << table->info->name;
        EXPECT_NE(table->propose_input, nullptr) << table->info->name;
        EXPECT_NE(table->render, nullptr) << table->info->name;
        EXPECT_EQ(find_reference_simulation(table->info->name), table);
    }
}

TEST(ReferenceSimulations, AnUnknownNameIsNull) {
    EXPECT_EQ(find_reference_simulation("skirmisch"), nullptr);
    EXPECT_EQ(find_reference_simulation(""), nullptr);
}

struct Refusal {
    const char* test;
    const char* simulation;
    const char* config;
    const char* message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << refusal.simulation << " " << refusal.config;
}

class RefusedConfig : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedConfig, SaysWhatWouldDo) {
    const Refusal& refusal = GetParam();
    const auto& table = *find_simulation(refusal.simulation);
    SimulationSetup setup = setup_of(table.info->most_players, refusal.config);
    const auto created = Simulation::create(table, setup);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, ErrorCode::usage);
    EXPECT_THAT(created.error().message, HasSubstr(refusal.message));
}

INSTANTIATE_TEST_SUITE_P(
    ReferenceSimulations, RefusedConfig,
    ::testing::Values(Refusal{"skirmish_key", "skirmish", "unit=5", "known keys: units"},
                      Refusal{"skirmish_text", "skirmish", "units=many", "not a whole number"},
                      Refusal{"skirmish_most", "skirmish", "units=100001", "from 2 to 100000"},
                      Refusal{"skirmish_least", "skirmish", "units=1", "from 2 to 100000"},
                      Refusal{"skirmish_players", "skirmish", "units=63", "too few for 64 players"},
                      Refusal{"pile_key", "pile", "boxes=5", "known keys: bodies"},
                      Refusal{"pile_most", "pile", "bodies=2001", "from 1 to 2000"},
                      Refusal{"pile_least", "pile", "bodies=0", "from 1 to 2000"},
                      Refusal{"fault_key", "fault:missing", "slow=1", "known keys: bodies"},
                      Refusal{"control_key", "control:alpha", "alpha=1", "known keys: units"},
                      Refusal{"spring_key", "spring", "k=15", "known keys: integrator position"},
                      Refusal{"spring_integrator", "spring", "integrator=rk5", "velocity-verlet"},
                      Refusal{"spring_position", "spring", "position=1001", "from 0 to 1000"}),
    [](const auto& test) { return std::string(test.param.test); });

}  // namespace
}  // namespace isotick::core::core_tests
