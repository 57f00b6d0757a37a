#pragma once
// The frames of a candidate: runs of equal frame times and of nominal frames.

#include <isotick/core/detail/time/loop_options.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

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

}  // namespace isotick::harness
