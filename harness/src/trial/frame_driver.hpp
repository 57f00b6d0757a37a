#pragma once
// Plays the part of a game's main loop: frames from a schedule, ticks from a loop.

#include "call_pipeline.hpp"
#include "frame_count.hpp"

#include <isotick/core/loop.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

/// Drives a simulation frame by frame: begin_frame, the ticks that fall due, render. Keeps the
/// frame statistics. Everything passed in must outlive the driver.
class FrameDriver {
  public:
    FrameDriver(CallPipeline& calls, core::AccumulatorLoop loop, core::FrameSource frames,
                TrialStatistics& statistics)
        : calls_(calls), loop_(loop), frames_(std::move(frames)), statistics_(statistics) {}

    /// Runs one frame. `before` is called once with the number of ticks to come, `tick` for each
    /// of them: it must step the simulation, and returns false when the session is over, which
    /// leaves out the rest of the frame's ticks. Fails with the first failure of any of them.
    template <class Before, class TickCall>
    [[nodiscard]] core::Result<void> run_frame(const Before& before, const TickCall& tick) {
        begin_context();
        const core::FramePlan plan = loop_.advance(context_.frame_time);
        context_.ticks_in_frame = plan.ticks;
        if (auto begun = calls_.begin_frame(context_.frame_time); !begun || calls_.over()) {
            return begun;
        }
        if (auto sampled = before(); !sampled) {
            return sampled;
        }
        for (std::uint64_t i = 0; i < plan.ticks; ++i) {
            context_.tick_in_frame = i;
            const core::Result<bool> goes_on = tick();
            if (!goes_on) {
                return tl::unexpected(goes_on.error());
            }
            if (!*goes_on) {
                break;
            }
        }
        if (calls_.over()) {
            return {};
        }
        count_frame(statistics_, plan.ticks);
        last_alpha_ = plan.alpha;
        return calls_.render(plan.alpha);
    }

    /// The current frame, and the tick in it.
    [[nodiscard]] const FrameContext& context() const { return context_; }

  private:
    void begin_context() {
        const bool was_idle = statistics_.frames > 0 && context_.ticks_in_frame == 0;
        context_.idle_frames = was_idle ? context_.idle_frames + 1 : 0;
        context_.last_alpha = last_alpha_;
        context_.frame = statistics_.frames;
        context_.frame_time = frames_.next();
        statistics_.schedule_repeats = frames_.repeats();
        context_.tick_in_frame = 0;
    }

    CallPipeline& calls_;
    core::AccumulatorLoop loop_;
    core::FrameSource frames_;
    TrialStatistics& statistics_;
    FrameContext context_;
    double last_alpha_ = 0;
};

}  // namespace isotick::harness
