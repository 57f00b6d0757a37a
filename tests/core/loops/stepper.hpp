#pragma once
// A reference simulation stepped as a loop says: with the session's dt, or the lengths of its
// frames.

#include "../reference/frames.hpp"

#include <isotick/core/detail/frame_source.hpp>
#include <isotick/core/loops.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace isotick::core::core_tests {

/// Steps `name`, 60 ticks a second, through `session`, which must outlive it.
class Stepper {
  public:
    Stepper(const char* name, const SimulationSetup& setup, const std::vector<TickInputs>& session)
        : simulation_(create(name, setup)), session_(session) {}

    [[nodiscard]] bool is_done() const { return trace_.ticks.size() == session_.size(); }

    /// One frame; what comes after the session's last tick is left out.
    void run(FrameTime frame_time, const HostFrame& frame) {
        require(simulation_.begin_frame(frame_time));
        for (std::uint64_t i = 1; i <= frame.plan.ticks && !is_done(); ++i) {
            const bool is_last = i == frame.plan.ticks;
            step(frame.dt ? (is_last ? frame.dt->last : frame.dt->each) : Fraction{1, 60});
        }
        require(simulation_.render(frame.plan.alpha));
    }

    /// Its names stay empty.
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

/// The part hashes of `name` when `loop` drives it through `session` by `frames`. Ends after
/// 100,000 frames.
inline Trace drive_by(const char* name, const SimulationSetup& setup,
                      const std::vector<TickInputs>& session, Loop loop, FrameSource frames) {
    constexpr int kMostFrames = 100'000;
    Stepper stepper(name, setup, session);
    for (int frame = 0; frame < kMostFrames && !stepper.is_done(); ++frame) {
        const FrameTime frame_time = frames.next();
        stepper.run(frame_time, loop.advance(frame_time));
    }
    return stepper.trace();
}

}  // namespace isotick::core::core_tests
