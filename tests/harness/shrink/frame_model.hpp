#pragma once
// A loop with a planted fault, and a runner of candidates that goes on from checkpoints.

#include "study/shrink_schedule.hpp"

#include <isotick/core/loop.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness::tests {

/// What a fault may depend on when a tick is made.
struct FrameFacts {
    core::FrameTime time{};
    std::uint64_t tick = 0;
    std::uint64_t tick_in_frame = 0;
    std::uint64_t ticks_in_frame = 0;
    std::uint64_t idle_frames = 0;         ///< just before this one
    std::uint64_t most_idle_frames = 0;    ///< in a row, so far
    std::uint64_t frames = 0;              ///< this one included
    std::uint64_t odd_frames = 0;          ///< not 16 or 17 ms rounded, so far
    std::uint64_t hitches = 0;             ///< frames of four ticks or more, so far
    std::uint64_t longest_gap = 0;         ///< between any two of them, in frames
    std::optional<std::uint64_t> hitched;  ///< tick at which the first of them began
    std::int64_t sum_ns = 0;               ///< of all frame times
    std::uint64_t chain = 0;               ///< of all frame times in their order
};

using Fault = std::function<bool(const FrameFacts&)>;

/// A session under way.
class FrameModel {
  public:
    FrameModel(const ShrinkLoop& loop, Fault fault)
        : loop_(*core::AccumulatorLoop::make(loop.rate, loop.options)), fault_(std::move(fault)) {}

    void run_frame(core::FrameTime time);

    [[nodiscard]] std::uint64_t ticks() const { return facts_.tick; }
    [[nodiscard]] std::optional<core::Tick> diverged_at() const { return diverged_at_; }

  private:
    core::AccumulatorLoop loop_;
    Fault fault_;
    FrameFacts facts_;
    std::uint64_t last_hitch_ = 0;
    std::optional<core::Tick> diverged_at_;
};

/// Runs candidates and counts what it costs: all ticks behind the deepest checkpoint that fits, of
/// which it keeps a dozen, as a stack. Each is a copy, as a forked process is.
class ModelRunner {
  public:
    ModelRunner(const ShrinkLoop& loop, Fault fault, bool shares)
        : loop_(loop), fault_(std::move(fault)), shares_(shares) {}

    core::Result<RanCandidate> operator()(const ScheduleCandidate& candidate);

  private:
    struct Checkpoint {
        std::vector<core::FrameTime> frames;
        FrameModel model;
    };

    ShrinkLoop loop_;
    Fault fault_;
    bool shares_;
    std::vector<Checkpoint> checkpoints_;  // each begins with the one before
};

/// The frame times of runs, as the schedule of these has them.
std::vector<core::FrameTime> frames_in(const FrameRuns& runs, core::TickRate rate);

/// The first `frames` of a schedule.
std::vector<core::FrameTime> frames_of(const std::string& schedule, std::size_t frames);

/// The tick at which these frames diverge, if they do.
std::optional<core::Tick> divergence_of(const std::vector<core::FrameTime>& frames,
                                        const ShrinkLoop& loop, const Fault& fault);

}  // namespace isotick::harness::tests
