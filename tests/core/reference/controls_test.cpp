// Each control must leak at exactly the tick its schedule provokes; its twin must never.

#include "frames.hpp"

#include <functional>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

constexpr std::uint64_t kControlTicks = 120;

// One change to the nominal frames, and the tick that must be the first to differ.
struct Leak {
    const char* leak;
    const char* change;
    std::function<void(std::vector<Frame>&)> provoke;
    std::uint64_t tick;
    std::vector<std::string> parts;
};

void PrintTo(const Leak& leak, std::ostream* out) {
    *out << leak.leak << " by " << leak.change;
}

std::string control(const Leak& leak) {
    return std::string("control:") + leak.leak;
}

std::string twin(const Leak& leak) {
    return std::string("twin:") + leak.leak;
}

class ControlLeak : public ::testing::TestWithParam<Leak> {
  protected:
    Trace run(const std::string& name, const std::vector<Frame>& frames) const {
        return drive(name.c_str(), setup_, session_, frames);
    }
    std::vector<Frame> provoking_frames() const {
        std::vector<Frame> frames = nominal_frames(kControlTicks);
        GetParam().provoke(frames);
        return frames;
    }

    SimulationSetup setup_ = setup_of(3, "units=200");
    std::vector<TickInputs> session_ = bot_inputs("skirmish", setup_, kControlTicks);
};

TEST_P(ControlLeak, DivergesAtTheProvokedTickAndPart) {
    const Trace nominal = run(control(GetParam()), nominal_frames(kControlTicks));
    const auto difference = first_difference(nominal, run(control(GetParam()), provoking_frames()));
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->tick, GetParam().tick);
    EXPECT_EQ(difference->parts, GetParam().parts);
}

TEST_P(ControlLeak, AgreesWithItselfUnderEqualFrames) {
    EXPECT_EQ(run(control(GetParam()), provoking_frames()),
              run(control(GetParam()), provoking_frames()));
}

TEST_P(ControlLeak, LeavesNoTraceInTheTwin) {
    EXPECT_EQ(run(twin(GetParam()), provoking_frames()),
              run(twin(GetParam()), nominal_frames(kControlTicks)));
}

std::string leak_name(const ::testing::TestParamInfo<Leak>& test) {
    std::string name = std::string(test.param.leak) + "_" + test.param.change;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// A frame k of the nominal frames holds tick k.
INSTANTIATE_TEST_SUITE_P(
    Controls, ControlLeak,
    ::testing::Values(
        Leak{"frame-time",
             "slow_frame",
             [](auto& frames) { frames[40].nanoseconds *= 2; },
             40,
             {"units"}},
        Leak{"frame-time",
             "frame_time_zero",
             [](auto& frames) { frames[77].nanoseconds = 0; },
             77,
             {"units"}},
        Leak{"alpha", "alpha_half", [](auto& frames) { frames[40].alpha = 0.5; }, 41, {"units"}},
        Leak{"render-random",
             "frame_without_ticks",
             [](auto& frames) {
                 frames.insert(frames.begin() + 41, Frame{1'000'000, 0, 0.0});
             },
             41,
             {"units", "random"}},
        Leak{"render-random",
             "two_ticks_in_a_frame",
             [](auto& frames) {
                 frames[40].ticks = 2;
                 frames.erase(frames.begin() + 41);
             },
             41,
             {"units", "random"}},
        Leak{"long-frame",
             "just_over_100_ms",
             [](auto& frames) { frames[40].nanoseconds = 100'000'001; },
             40,
             {"units"}},
        Leak{"long-frame",
             "seven_ticks_in_a_frame",
             [](auto& frames) {
                 frames[40] = {7 * 16'666'667, 7, 0.0};
                 frames.erase(frames.begin() + 41, frames.begin() + 47);
             },
             40,
             {"units"}}),
    leak_name);

TEST(LongFrameControl, TakesExactly100MsForShort) {
    const SimulationSetup setup = setup_of(2, "units=50");
    const auto session = bot_inputs("skirmish", setup, kControlTicks);
    std::vector<Frame> frames = nominal_frames(kControlTicks);
    frames[40].nanoseconds = 100'000'000;
    EXPECT_EQ(drive("control:long-frame", setup, session, frames),
              drive("control:long-frame", setup, session, nominal_frames(kControlTicks)));
}

class Variant : public ::testing::TestWithParam<const char*> {};

std::string variant_name(const ::testing::TestParamInfo<const char*>& test) {
    std::string name = test.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Controls, Variant,
                         ::testing::Values("alpha", "frame-time", "long-frame", "render-random"),
                         variant_name);

TEST_P(Variant, OfManyPlayersDivergesUnderWildFramesOnlyAsControl) {
    const SimulationSetup setup = setup_of(64, "units=300");
    const auto session = bot_inputs("skirmish", setup, kControlTicks);
    const auto differs = [&](const std::string& name) {
        return first_difference(drive(name.c_str(), setup, session, nominal_frames(kControlTicks)),
                                drive(name.c_str(), setup, session, wild_frames(kControlTicks, 3)))
            .has_value();
    };
    EXPECT_TRUE(differs(std::string("control:") + GetParam()));
    EXPECT_FALSE(differs(std::string("twin:") + GetParam()));
}

TEST_P(Variant, AsTwinComputesWhatSkirmishComputes) {
    const SimulationSetup setup = setup_of(2, "units=100");
    const auto session = bot_inputs("skirmish", setup, kControlTicks);
    EXPECT_EQ(drive((std::string("twin:") + GetParam()).c_str(), setup, session,
                    wild_frames(kControlTicks, 5)),
              drive("skirmish", setup, session, nominal_frames(kControlTicks)));
}

}  // namespace
}  // namespace isotick::core::core_tests
