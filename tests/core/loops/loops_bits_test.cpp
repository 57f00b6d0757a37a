// What the loops are judged by: whether a simulation keeps its bits under them.

#include "../reference/frames.hpp"
#include "loops_support.hpp"

#include <isotick/core/random_schedule.hpp>

#include <string>

namespace isotick::core {
namespace {

using testing::bot_inputs;
using testing::create;
using testing::drive;
using testing::nominal_frames;
using testing::require;
using testing::setup_of;
using testing::TickInputs;
using testing::Trace;

constexpr std::uint64_t kTicks = 600;
constexpr std::uint64_t kMostFrames = 100'000;

/// The steps of one simulation: of the session's dt, or of the lengths a loop measured.
class Stepper {
  public:
    Stepper(const char* name, const SimulationSetup& setup, const std::vector<TickInputs>& session)
        : simulation_(create(name, setup)), session_(session) {}

    [[nodiscard]] bool is_done() const { return trace_.ticks.size() == session_.size(); }

    void run(FrameTime frame_time, const HostFrame& frame) {
        require(simulation_.begin_frame(frame_time));
        for (std::uint64_t i = 1; i <= frame.plan.ticks && !is_done(); ++i) {
            step(frame.dt ? (i == frame.plan.ticks ? frame.dt->last : frame.dt->each)
                          : Fraction{1, 60});
        }
        require(simulation_.render(frame.plan.alpha));
    }

    [[nodiscard]] const Trace& trace() const { return trace_; }

  private:
    void step(Fraction dt) {
        const std::uint64_t tick = trace_.ticks.size();
        std::vector<isotick_input> entries;
        const TickInputs& inputs = session_.at(tick);
        for (std::uint32_t i = 0; i < inputs.size(); ++i) {
            const std::uint32_t player = i + 1 == inputs.size() ? ISOTICK_WORLD : i;
            const auto& bytes = inputs[i];
            entries.push_back({player, bytes ? 1U : 0U, bytes ? bytes->size() : 0,
                               bytes ? bytes->data() : nullptr});
        }
        isotick_step arguments{};
        arguments.struct_size = sizeof arguments;
        arguments.input_count = static_cast<std::uint32_t>(entries.size());
        arguments.tick = tick;
        arguments.dt_seconds =
            static_cast<double>(dt.numerator) / static_cast<double>(dt.denominator);
        arguments.dt_num = dt.numerator;
        arguments.dt_den = dt.denominator;
        arguments.inputs = entries.data();
        require(simulation_.step(arguments));
        simulation_.hash().value();
        trace_.ticks.emplace_back(simulation_.parts().begin(), simulation_.parts().end());
    }

    Simulation simulation_;
    const std::vector<TickInputs>& session_;
    Trace trace_;
};

/// The part hashes of `name` when `text` drives it under a jittery schedule.
Trace trace_of(const char* name, const SimulationSetup& setup,
               const std::vector<TickInputs>& session, std::string_view text) {
    Loop loop = loop_of(text, "60hz");
    Stepper stepper(name, setup, session);
    FrameSource frames = Schedule::parse("jitter(100hz, 9ms, seed=3)").value().frames(TickRate());
    for (std::uint64_t frame = 0; frame < kMostFrames && !stepper.is_done(); ++frame) {
        const FrameTime frame_time = frames.next();
        stepper.run(frame_time, loop.advance(frame_time));
    }
    return stepper.trace();
}

class BitsUnder : public ::testing::TestWithParam<const char*> {};

std::string name_of(const ::testing::TestParamInfo<const char*>& tested) {
    std::string name = tested.param;
    std::erase_if(name, [](char character) { return !std::isalnum(character); });
    return name;
}

TEST_P(BitsUnder, AreThoseOfTheNominalFramesOnlyWhereDtIsConstant) {
    const bool is_constant = info_of(options_of(GetParam()).kind).constant_dt;
    for (const char* name : {"skirmish", "spring"}) {
        const SimulationSetup setup = setup_of(std::string_view(name) == "spring" ? 0 : 2);
        const auto session = bot_inputs(name, setup, kTicks);
        const Trace nominal = drive(name, setup, session, nominal_frames(kTicks));
        const Trace trace = trace_of(name, setup, session, GetParam());
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
            testing::step(simulation, tick, session.at(tick));
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
