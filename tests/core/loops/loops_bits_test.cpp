// What the loops are judged by: whether a simulation keeps its bits under them.

#include "loops_support.hpp"
#include "stepper.hpp"

#include <isotick/core/schedule.hpp>

#include <cctype>
#include <string>

namespace isotick::core {
namespace {

using core_tests::bot_inputs;
using core_tests::create;
using core_tests::drive;
using core_tests::drive_by;
using core_tests::nominal_frames;
using core_tests::require;
using core_tests::setup_of;
using core_tests::Trace;

constexpr std::uint64_t kTicks = 600;

class BitsUnder : public ::testing::TestWithParam<const char*> {};

std::string name_of(const ::testing::TestParamInfo<const char*>& tested) {
    std::string name = tested.param;
    std::erase_if(name, [](char character) { return !std::isalnum(character); });
    return name;
}

TEST_P(BitsUnder, AreThoseOfTheNominalFramesOnlyWhereDtIsConstant) {
    const bool is_constant = info_of(options_of(GetParam()).kind).constant_dt;
    const FrameSource frames =
        Schedule::parse("jitter(100hz, 9ms, seed=3)").value().frames(TickRate());
    for (const char* name : {"skirmish", "spring"}) {
        const SimulationSetup setup = setup_of(std::string_view(name) == "spring" ? 0 : 2);
        const auto session = bot_inputs(name, setup, kTicks);
        const Trace nominal = drive(name, setup, session, nominal_frames(kTicks));
        const Trace trace = drive_by(name, setup, session, loop_of(GetParam(), "60hz"), frames);
        ASSERT_EQ(trace.ticks.size(), nominal.ticks.size()) << name;
        EXPECT_EQ(trace.ticks == nominal.ticks, is_constant) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, BitsUnder,
                         ::testing::Values("accumulator", "threaded", "clock", "canonical",
                                           "reversible", "whole-ticks", "substeps", "fixed",
                                           "milliseconds", "accumulator-double", "clock-double",
                                           "turns", "variable", "semi-fixed",
                                           "semi-fixed(split=even)", "ranged", "growing(steps=1)",
                                           "accumulator(every=3)",
                                           "accumulator(ramp=1/4 over 2s, most-ticks=1)",
                                           "accumulator(most-ticks=1, debt=kept)",
                                           "accumulator(most-ticks=1, debt=reset)"),
                         name_of);

// A loop that goes back needs a simulation that can: the host restores what it kept.
TEST(ReversibleLoop, KeepsTheBitsWhereTheHostRestoresPastStates) {
    const SimulationSetup setup = setup_of(2);
    const auto session = bot_inputs("skirmish", setup, kTicks);
    const Trace nominal = drive("skirmish", setup, session, nominal_frames(kTicks));
    Simulation simulation = create("skirmish", setup);
    std::vector<std::vector<std::byte>> past{simulation.save().value()};
    Loop loop = loop_of("reversible", "60hz");
    Pcg32 random(5);
    std::uint64_t went_back = 0;
    while (past.size() <= kTicks) {
        const HostFrame frame = loop.advance({random.between(-60'000'000, 100'000'000)});
        if (frame.back > 0) {
            went_back += frame.back;
            past.resize(past.size() - frame.back);
            require(simulation.load(past.back()));
        }
        for (std::uint64_t i = 0; i < frame.plan.ticks && past.size() <= kTicks; ++i) {
            const std::uint64_t tick = past.size() - 1;
            core_tests::step(simulation, tick, session.at(tick));
            simulation.hash().value();
            const auto parts = simulation.parts();
            ASSERT_EQ(std::vector(parts.begin(), parts.end()), nominal.ticks.at(tick));
            past.push_back(simulation.save().value());
        }
    }
    EXPECT_GT(went_back, 100U);
}

}  // namespace
}  // namespace isotick::core
