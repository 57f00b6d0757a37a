#pragma once
// A schedule as runs of equal frames, and the frames that it had before it was shrunk.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {

// The frames of a candidate: runs of equal frame times and of nominal frames.

/// Equal frames, one after the other.
struct FrameRun {
    std::optional<core::FrameTime> time;  ///< none: nominal
    std::uint64_t count = 1;
    friend bool operator==(const FrameRun&, const FrameRun&) = default;
};

/// Neighbours differ, and no count is 0. As in a schedule, the nominal frames of each run are
/// counted from its start.
using FrameRuns = std::vector<FrameRun>;

/// Adds frames at the end.
void append(FrameRuns& runs, const FrameRun& run);

/// Removes the last frame. Requires that there is one.
void remove_last(FrameRuns& runs);

[[nodiscard]] std::uint64_t frames_of(const FrameRuns& runs);

/// The same frames as a schedule; the endless nominal one where all of them are nominal. Fails
/// where Schedule::from_items does.
[[nodiscard]] core::Result<core::Schedule> schedule_of(const FrameRuns& runs);

[[nodiscard]] core::Digest digest_of(const FrameRuns& runs);

/// Which loop turns frames into ticks.
struct ShrinkLoop {
    core::TickRate rate;
    core::LoopOptions options;
};

/// The frames up to and including the one in which tick `until` falls. Where they end before it,
/// nominal frames follow if `padded`. Fails on options that are none.
[[nodiscard]] core::Result<FrameRuns> cut_after(const FrameRuns& runs, core::Tick until,
                                                const ShrinkLoop& loop, bool padded);

// The frames of a failing trial, and what becomes of them when only some are kept.

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
