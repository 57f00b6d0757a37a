// A simulation in a process, called without a trial around it.

#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/process_simulation.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

class SkirmishInAProcess : public ::testing::Test {
  protected:
    // One input of the longest kind for each of so many players, and for the world.
    core::Result<void> step_with(std::uint32_t inputs) {
        const std::vector<std::uint8_t> longest(ISOTICK_LONGEST_INPUT);
        std::vector<isotick_input> given(inputs);
        for (isotick_input& input : given) {
            input = {0, 1, longest.size(), longest.data()};
        }
        return simulation_.step(core::Tick{0}, given);
    }

    core::SimulationSetup setup() const {
        core::SimulationSetup setup;
        setup.players = 2;
        return setup;
    }

    ProcessSimulation process_ =
        ProcessSimulation::ask(ISOTICK_PROGRAM " serve --sim skirmish").value();
    core::Simulation simulation_ = core::Simulation::create(process_.table(), setup()).value();
};

TEST_F(SkirmishInAProcess, NamesItsPartsWithItsHash) {
    const auto hash = simulation_.hash();
    ASSERT_TRUE(hash) << describe(hash.error());
    EXPECT_THAT(simulation_.part_names(),
                ::testing::ElementsAre("world", "players", "orders", "units", "random"));
}

TEST_F(SkirmishInAProcess, IsSentNoRequestLongerThanTheProtocolAllows) {
    const auto stepped = step_with(1025);
    ASSERT_FALSE(stepped);
    EXPECT_THAT(stepped.error().message, HasSubstr("64 MiB"));
}

}  // namespace
}  // namespace isotick::harness
