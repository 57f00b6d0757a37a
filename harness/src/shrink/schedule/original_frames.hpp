#pragma once
// The frames of a failing trial, and what becomes of them when only some are kept.

#include "frame_runs.hpp"

#include <isotick/core/loops.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace isotick::harness {

/// For each original frame whether it stays as it was.
using KeptFrames = std::vector<bool>;

using LoopUnits = core::AccumulatorLoop::Units;

/// Some original frames in their places, and nominal ones between them.
struct PlacedFrames {
    FrameRuns runs;
    /// For each original frame: how many frames come before its place, or before that of its first
    /// tick where it is not kept.
    std::vector<std::uint64_t> before;
    /// The frames from this one on come after the last tick.
    std::size_t reached = 0;
};

/// Knows which ticks fell in which frame. What is not kept becomes as many nominal frames as it
/// held ticks, and the time by which the loop is then behind is added to the next frame that is
/// kept: all ticks that follow fall into the same frames as before, with the same alpha. Only where
/// the loop has cut a frame or given ticks up may there be no time to take.
class OriginalFrames {
  public:
    /// Fails on loop options that are none, and with ErrorCode::usage where `until` does not fall
    /// into the frames.
    [[nodiscard]] static core::Result<OriginalFrames> make(std::vector<core::FrameTime> frames,
                                                           core::Tick until,
                                                           const ShrinkLoop& loop);

    /// Frames up to and including that of the tick that was given to make.
    [[nodiscard]] std::size_t size() const { return frames_.size(); }

    /// The candidate in which `kept` stay, up to the frame of tick `until`.
    [[nodiscard]] PlacedFrames place(const KeptFrames& kept, core::Tick until) const;

  private:
    struct Frame {
        core::FrameTime time;
        std::uint64_t first_tick = 0;
        LoopUnits held = 0;  // before it
    };

    OriginalFrames(core::Loop start, const ShrinkLoop& loop)
        : start_(std::move(start)), loop_(loop) {}

    friend class FramePlacing;

    std::vector<Frame> frames_;
    core::Loop start_;
    ShrinkLoop loop_;
};

}  // namespace isotick::harness
