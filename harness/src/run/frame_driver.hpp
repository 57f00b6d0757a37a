#pragma once
// The order of begin_frame, ticks and render in a trial, frame by frame.

#include "call_pipeline.hpp"
#include "stepping_thread.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace isotick::harness {

// Counting frames and loads in a trial's statistics.

/// Counts one frame in which `ticks` ticks fell.
inline void count_frame(TrialStatistics& statistics, std::uint64_t ticks) {
    const bool first = statistics.frames == 0;
    statistics.least_ticks_per_frame =
        first ? ticks : std::min(statistics.least_ticks_per_frame, ticks);
    statistics.most_ticks_per_frame = std::max(statistics.most_ticks_per_frame, ticks);
    ++statistics.frames;
}

/// Counts one load of a state, which undid `ticks` ticks.
inline void count_load(TrialStatistics& statistics, std::uint64_t ticks) {
    const bool first = statistics.state_loads == 0;
    statistics.least_ticks_back = first ? ticks : std::min(statistics.least_ticks_back, ticks);
    statistics.most_ticks_back = std::max(statistics.most_ticks_back, ticks);
    ++statistics.state_loads;
    statistics.ticks_undone += ticks;
}

// What a host does in one frame after another: as a loop makes it of frame times, or as the course
// of a peer says.

/// A value: copying it copies how far it has come.
class HostFrames {
  public:
    struct Next {
        core::FrameTime frame_time;
        core::HostFrame frame;
    };

    HostFrames(core::Loop loop, core::FrameSource frames)
        : way_(Looped{std::move(loop), std::move(frames)}) {}
    /// `course` must outlive this.
    explicit HostFrames(const Course& course) : way_(Planned{&course, 0}) {}

    /// Requires !at_end().
    [[nodiscard]] Next next() {
        if (auto* looped = std::get_if<Looped>(&way_)) {
            const core::FrameTime frame_time = looped->frames.next();
            return {frame_time, looped->loop.advance(frame_time)};
        }
        auto& [course, next] = std::get<Planned>(way_);
        const CourseFrame& frame = course->frames[next++];
        core::HostFrame done;
        done.plan.ticks = frame.steps;
        done.plan.alpha = frame.alpha;
        done.back = frame.back;
        return {frame.frame_time, done};
    }

    /// A loop goes on for ever.
    [[nodiscard]] bool at_end() const {
        const auto* planned = std::get_if<Planned>(&way_);
        return planned != nullptr && planned->next == planned->course->frames.size();
    }

    /// How often the schedule has repeated so far.
    [[nodiscard]] std::uint64_t repeats() const {
        const auto* looped = std::get_if<Looped>(&way_);
        return looped != nullptr ? looped->frames.repeats() : 0;
    }

    /// The loop goes on with `frames`. Nothing where there is no loop.
    void go_on_with(core::FrameSource frames) {
        if (auto* looped = std::get_if<Looped>(&way_)) {
            looped->frames = std::move(frames);
        }
    }

  private:
    struct Looped {
        core::Loop loop;
        core::FrameSource frames;
    };
    struct Planned {
        const Course* course;
        std::size_t next;
    };

    std::variant<Looped, Planned> way_;
};

// Plays the part of a game's main loop, frame by frame.

/// Drives a simulation frame by frame: begin_frame, the ticks that fall due, render. Keeps the
/// frame statistics. Everything passed in must outlive the driver.
class FrameDriver {
  public:
    /// `own_thread`: ticks are stepped on another thread.
    FrameDriver(CallPipeline& calls, HostFrames frames, bool own_thread,
                TrialStatistics& statistics)
        : calls_(calls),
          frames_(std::move(frames)),
          statistics_(statistics),
          thread_(own_thread ? std::make_unique<SteppingThread>() : nullptr) {}

    /// Runs one frame; there must be one. `before` is called once, with the number of ticks that it
    /// goes back, before the first tick of the frame, and returns how many were undone. `tick` is
    /// called for each tick to come, with its dt where the loop changes it: it must step the
    /// simulation, and returns false when the session is over, which leaves out the rest of the
    /// frame's ticks; possibly on another thread. Fails with the first failure of any of them.
    template <class Before, class TickCall>
    [[nodiscard]] core::Result<void> run_frame(const Before& before, const TickCall& tick) {
        const auto [frame_time, frame] = frames_.next();
        begin_context(frame_time);
        context_.ticks_in_frame = frame.plan.ticks;
        if (auto begun = calls_.begin_frame(context_.frame_time); !begun || calls_.over()) {
            return begun;
        }
        ISOTICK_TRY_ASSIGN(context_.back, before(frame.back));
        if (auto stepped = run_ticks(frame, tick); !stepped || calls_.over()) {
            return stepped;
        }
        count_frame(statistics_, frame.plan.ticks);
        if (!frame.renders) {
            return {};
        }
        last_alpha_ = frame.plan.alpha;
        return calls_.render(frame.plan.alpha);
    }

    /// Goes on with `frames`.
    void go_on_with(core::FrameSource frames) { frames_.go_on_with(std::move(frames)); }

    /// No frame is left.
    [[nodiscard]] bool at_end() const { return frames_.at_end(); }

    /// Whether the loop, which goes back in time, is going to undo the tick under way before it is
    /// `most` ticks ahead of it.
    [[nodiscard]] bool comes_back(std::uint64_t most) const {
        constexpr std::uint64_t kMostFrames = 1'000'000;
        HostFrames frames = frames_;
        std::uint64_t ahead = context_.ticks_in_frame - context_.tick_in_frame;
        for (std::uint64_t i = 0; ahead <= most && i < kMostFrames && !frames.at_end(); ++i) {
            const core::HostFrame frame = frames.next().frame;
            if (frame.back >= ahead) {
                return true;
            }
            ahead += frame.plan.ticks;
            ahead -= frame.back;
        }
        return false;
    }

    /// The current frame, and the tick in it.
    [[nodiscard]] const FrameContext& context() const { return context_; }

  private:
    void begin_context(core::FrameTime frame_time) {
        const bool was_idle = statistics_.frames > 0 && context_.ticks_in_frame == 0;
        context_.idle_frames = was_idle ? context_.idle_frames + 1 : 0;
        context_.last_alpha = last_alpha_;
        context_.frame = statistics_.frames;
        context_.frame_time = frame_time;
        statistics_.schedule_repeats = frames_.repeats();
        context_.tick_in_frame = 0;
        context_.back = 0;
    }

    template <class TickCall>
    core::Result<void> run_ticks(const core::HostFrame& frame, const TickCall& tick) {
        if (!thread_ || frame.plan.ticks == 0) {
            return run_ticks_here(frame, tick);
        }
        core::Result<void> stepped;
        thread_->run([&] { stepped = run_ticks_here(frame, tick); });
        return stepped;
    }

    template <class TickCall>
    core::Result<void> run_ticks_here(const core::HostFrame& frame, const TickCall& tick) {
        for (std::uint64_t i = 0; i < frame.plan.ticks; ++i) {
            context_.tick_in_frame = i;
            ISOTICK_TRY_ASSIGN(const auto dt, dt_of(frame, i));
            ISOTICK_TRY_ASSIGN(const bool goes_on, tick(dt));
            if (!goes_on) {
                break;
            }
        }
        return {};
    }

    static core::Result<std::optional<core::TickDt>> dt_of(const core::HostFrame& frame,
                                                           std::uint64_t number) {
        if (!frame.dt) {
            return std::nullopt;
        }
        const core::Fraction& seconds =
            number + 1 == frame.plan.ticks ? frame.dt->last : frame.dt->each;
        return core::TickDt::make(seconds.numerator, seconds.denominator);
    }

    CallPipeline& calls_;
    HostFrames frames_;
    TrialStatistics& statistics_;
    std::unique_ptr<SteppingThread> thread_;  // null: the calling thread steps
    FrameContext context_;
    double last_alpha_ = 0;
};

// Where a schedule goes on.

/// The frame times of `schedule` behind its first `count`. At once where those are nominal and
/// followed by others without end, as where a trial begins in the middle.
[[nodiscard]] core::FrameSource frames_behind(const core::Schedule& schedule, std::uint64_t count,
                                              core::TickRate rate);

}  // namespace isotick::harness
