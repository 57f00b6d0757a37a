#include "frame_runs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/time.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace isotick::harness {

// The frame times of a run of nominal frames.

/// Frame k ends at the floored exact time of tick k + 1, counted from the start of the run, as in a
/// schedule.
class NominalClock {
  public:
    explicit NominalClock(core::TickRate rate) : rate_(rate) {}

    void restart() { frames_ = 0; }

    [[nodiscard]] core::FrameTime next() {
        const std::int64_t start = rate_.time_of(frames_);
        return {rate_.time_of(++frames_) - start};
    }

    /// So many frames hold `ticks` in any loop that is worth shrinking for: those of bullet time
    /// take several for one, and a loop whose time stands still takes all there are.
    [[nodiscard]] static std::uint64_t most_frames(std::uint64_t ticks) { return 64 * ticks; }

  private:
    core::TickRate rate_;
    std::uint64_t frames_ = 0;
};

void append(FrameRuns& runs, const FrameRun& run) {
    if (run.count == 0) {
        return;
    }
    if (!runs.empty() && runs.back().time == run.time) {
        runs.back().count += run.count;
    } else {
        runs.push_back(run);
    }
}

void remove_last(FrameRuns& runs) {
    if (--runs.back().count == 0) {
        runs.pop_back();
    }
}

std::uint64_t frames_of(const FrameRuns& runs) {
    std::uint64_t frames = 0;
    for (const FrameRun& run : runs) {
        frames += run.count;
    }
    return frames;
}

core::Result<core::Schedule> schedule_of(const FrameRuns& runs) {
    if (runs.size() == 1 && !runs.front().time) {
        return core::Schedule::nominal();
    }
    std::vector<core::ScheduleItem> items;
    for (const FrameRun& run : runs) {
        core::ScheduleItem item;
        item.kind = run.time ? core::FrameKind::frame : core::FrameKind::steady;
        item.count = run.count;
        item.duration = run.time.value_or(core::FrameTime{});
        items.push_back(item);
    }
    return core::Schedule::from_items(items);
}

core::Digest digest_of(const FrameRuns& runs) {
    core::StreamDigester digester;
    for (const FrameRun& run : runs) {
        digester.update(run.time ? 1 : 0);
        digester.update(
            static_cast<std::uint64_t>(run.time.value_or(core::FrameTime{}).nanoseconds));
        digester.update(run.count);
    }
    return digester.value();
}

core::Result<FrameRuns> cut_after(const FrameRuns& runs, core::Tick until, const ShrinkLoop& loop,
                                  bool padded) {
    ISOTICK_TRY_ASSIGN(auto made, core::Loop::make(loop.rate, loop.options));
    FrameRuns cut;
    std::uint64_t ticks = 0;
    NominalClock clock(loop.rate);
    for (const FrameRun& run : runs) {
        clock.restart();
        for (std::uint64_t i = 0; i < run.count && ticks <= until.value; ++i) {
            append(cut, {run.time, 1});
            ticks += made.advance(run.time ? *run.time : clock.next()).plan.ticks;
        }
    }
    if (padded) {
        if (!cut.empty() && cut.back().time) {
            clock.restart();
        }
        const std::uint64_t most = clock.most_frames(until.value + 1);
        for (std::uint64_t i = 0; i < most && ticks <= until.value; ++i) {
            append(cut, {std::nullopt, 1});
            ticks += made.advance(clock.next()).plan.ticks;
        }
    }
    return cut;
}

using core::FrameTime;
using core::Result;

namespace {

// Of loops without an accumulator nothing is known, nor needed.
LoopUnits held_by(const core::Loop& loop) {
    const core::AccumulatorLoop* accumulator = loop.accumulator();
    return accumulator == nullptr ? 0 : accumulator->held();
}

}  // namespace

/// A candidate while it is put together, frame by frame.
class FramePlacing {
  public:
    FramePlacing(const OriginalFrames& original, core::Tick until)
        : loop_(original.start_),
          clock_(original.loop_.rate),
          longest_(original.loop_.options.longest_frame),
          reverses_(original.loop_.options.kind == core::LoopKind::reversible),
          end_(until.value + 1) {}

    [[nodiscard]] bool over() const { return ticks_ >= end_; }
    [[nodiscard]] std::uint64_t frames_at(std::uint64_t tick) const {
        return frames_ + (std::max(tick, ticks_) - ticks_);
    }

    /// Nominal frames up to `tick`, or as near as they come.
    void fill_up_to(std::uint64_t tick) {
        const std::uint64_t target = std::min(tick, end_);
        const std::uint64_t most = NominalClock::most_frames(target - std::min(target, ticks_));
        for (std::uint64_t i = 0; i < most && ticks_ < target; ++i) {
            core::Loop next = loop_;
            NominalClock later = clock_;
            const FrameTime time = later.next();
            const std::uint64_t ticks = next.advance(time).plan.ticks;
            if (ticks_ + ticks > tick) {
                return;
            }
            count(std::nullopt, ticks);
            last_nominal_ = {std::move(loop_), time, ticks};
            loop_ = std::move(next);
            clock_ = later;
        }
    }

    /// A frame before which the loop held `held` in the original.
    void keep(FrameTime time, LoopUnits held) {
        const std::int64_t behind = behind_ns(held);
        const std::int64_t fed =
            reverses_ ? time.nanoseconds : std::max<std::int64_t>(time.nanoseconds, 0);
        const bool is_cut =
            longest_ && (fed < -longest_->nanoseconds || fed > longest_->nanoseconds ||
                         fed > longest_->nanoseconds - behind);
        if (behind == 0) {
            put(time);
        } else if (!is_cut && (fed < 0 || fed + behind >= 0)) {
            put({fed + behind});
        } else {
            move_on(behind);
            put(time);
        }
    }

    FrameRuns take() { return std::move(runs_); }

  private:
    // How much less than in the original has passed of the next tick. Exact, unless the loop gave
    // ticks up.
    [[nodiscard]] std::int64_t behind_ns(LoopUnits held) const {
        const core::AccumulatorLoop* accumulator = loop_.accumulator();
        if (accumulator == nullptr) {
            return 0;
        }
        const auto per_nanosecond = LoopUnits{accumulator->per_nanosecond()};
        const LoopUnits now = accumulator->held();
        return held >= now ? static_cast<std::int64_t>((held - now) / per_nanosecond)
                           : -static_cast<std::int64_t>((now - held) / per_nanosecond);
    }

    // By a frame of its own, or less of the last nominal one.
    void move_on(std::int64_t behind) {
        if (behind > 0) {
            put({behind});
        } else if (last_nominal_ && last_nominal_->time.nanoseconds + behind >= 0) {
            const FrameTime shorter{last_nominal_->time.nanoseconds + behind};
            loop_ = last_nominal_->before;
            ticks_ -= last_nominal_->ticks;
            --frames_;
            remove_last(runs_);
            put(shorter);
        }
    }

    void put(FrameTime time) {
        if (!over()) {
            last_nominal_.reset();
            clock_.restart();
            count(time, loop_.advance(time).plan.ticks);
        }
    }

    void count(std::optional<FrameTime> time, std::uint64_t ticks) {
        append(runs_, {time, 1});
        ++frames_;
        ticks_ += ticks;
    }

    struct NominalFrame {
        core::Loop before;
        FrameTime time;
        std::uint64_t ticks = 0;
    };

    core::Loop loop_;
    NominalClock clock_;
    std::optional<NominalFrame> last_nominal_;  // where it was the last frame of all
    std::optional<FrameTime> longest_;
    bool reverses_;  // a negative frame time goes back
    std::uint64_t end_;
    FrameRuns runs_;
    std::uint64_t frames_ = 0;
    std::uint64_t ticks_ = 0;
};

Result<OriginalFrames> OriginalFrames::make(std::vector<FrameTime> frames, core::Tick until,
                                            const ShrinkLoop& loop) {
    ISOTICK_TRY_ASSIGN(auto made, core::Loop::make(loop.rate, loop.options));
    OriginalFrames original(made, loop);
    std::uint64_t ticks = 0;
    for (const FrameTime time : frames) {
        if (ticks > until.value) {
            break;
        }
        original.frames_.push_back({time, ticks, held_by(made)});
        ticks += made.advance(time).plan.ticks;
    }
    if (ticks <= until.value) {
        return core::fail(core::ErrorCode::usage,
                          "the frames to shrink end before tick " + std::to_string(until.value));
    }
    return original;
}

PlacedFrames OriginalFrames::place(const KeptFrames& kept, core::Tick until) const {
    FramePlacing placing(*this, until);
    PlacedFrames placed;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        const Frame& frame = frames_[i];
        placed.before.push_back(placing.frames_at(frame.first_tick));
        if (kept[i] && !placing.over()) {
            placing.fill_up_to(frame.first_tick);
            if (!placing.over()) {
                placing.keep(frame.time, frame.held);
                placed.reached = i + 1;
            }
        }
    }
    placing.fill_up_to(until.value + 1);
    placed.runs = placing.take();
    return placed;
}

}  // namespace isotick::harness
