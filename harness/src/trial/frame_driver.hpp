#pragma once
// Plays the part of a game's main loop: frames from a schedule, ticks from a loop.

#include <isotick/core/loop.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/progress.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

/// Drives a simulation frame by frame: begin_frame, the ticks that fall due, render. Keeps the
/// frame statistics and the progress. Everything passed in must outlive the driver.
class FrameDriver {
  public:
    FrameDriver(core::Simulation& simulation, core::AccumulatorLoop loop, core::FrameSource frames,
                Progress& progress, TrialStatistics& statistics)
        : simulation_(simulation),
          loop_(loop),
          frames_(std::move(frames)),
          progress_(progress),
          statistics_(statistics) {}

    /// Runs one frame. `before` is called once with the number of ticks to come, `tick` for each
    /// of them: it must step the simulation, and returns false when the session is over, which
    /// leaves out the rest of the frame's ticks. Fails with the first failure of any of them.
    template <class Before, class TickCall>
    [[nodiscard]] core::Result<void> run_frame(const Before& before, const TickCall& tick) {
        begin_context();
        const core::FramePlan plan = loop_.advance(context_.frame_time);
        context_.ticks_in_frame = plan.ticks;
        progress_.enter(Activity::beginning_frame, core::Tick{statistics_.ticks});
        if (auto begun = simulation_.begin_frame(context_.frame_time); !begun) {
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
        count_frame(plan.ticks);
        last_alpha_ = plan.alpha;
        progress_.enter(Activity::rendering, last_tick());
        return simulation_.render(plan.alpha);
    }

    /// Steps tick `at`; to be called from within `tick`.
    [[nodiscard]] core::Result<void> step(core::Tick at, std::span<const isotick_input> inputs) {
        progress_.enter(Activity::stepping, at);
        ++statistics_.ticks;
        return simulation_.step(at, inputs);
    }

    /// The current frame, and the tick in it.
    [[nodiscard]] const FrameContext& context() const { return context_; }

  private:
    // The one that was stepped last; 0 before the first.
    [[nodiscard]] core::Tick last_tick() const {
        return core::Tick{statistics_.ticks - std::min<std::uint64_t>(statistics_.ticks, 1)};
    }

    void begin_context() {
        const bool was_idle = statistics_.frames > 0 && context_.ticks_in_frame == 0;
        context_.idle_frames = was_idle ? context_.idle_frames + 1 : 0;
        context_.last_alpha = last_alpha_;
        context_.frame = statistics_.frames;
        context_.frame_time = frames_.next();
        context_.tick_in_frame = 0;
    }

    void count_frame(std::uint64_t ticks) {
        const bool first = statistics_.frames == 0;
        statistics_.least_ticks_per_frame =
            first ? ticks : std::min(statistics_.least_ticks_per_frame, ticks);
        statistics_.most_ticks_per_frame = std::max(statistics_.most_ticks_per_frame, ticks);
        ++statistics_.frames;
        statistics_.schedule_repeats = frames_.repeats();
    }

    core::Simulation& simulation_;
    core::AccumulatorLoop loop_;
    core::FrameSource frames_;
    Progress& progress_;
    TrialStatistics& statistics_;
    FrameContext context_;
    double last_alpha_ = 0;
};

}  // namespace isotick::harness
