#pragma once
// What one peer did, as a lane of a time line.

#include "window.hpp"

#include <isotick/harness/lockstep.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

/// Where time is on the image: all in tenths of its units.
struct TimeScale {
    Window window;
    std::int64_t left = 0;
    std::int64_t width = 0;

    [[nodiscard]] std::int64_t right() const { return left + width; }
    /// Moments outside of the window are at its ends.
    [[nodiscard]] std::int64_t x(std::int64_t at_ns) const;
};

/// What all lanes of an image share.
struct LaneScale {
    TimeScale time;
    std::uint64_t most_ahead = 0;  ///< ticks that any peer runs ahead
    std::uint64_t most_below = 4;  ///< ticks that any goes back, or has inputs for; at least 1
};

[[nodiscard]] LaneScale lane_scale(const LockstepTrial& trial, const TimeScale& time);

inline constexpr std::int64_t kLaneHeight = 1260;
inline constexpr std::int64_t kLaneDistance = 1360;

/// The lane of `peer` without its ground, whose upper edge is at `top`.
[[nodiscard]] std::string draw_lane(const LockstepTrial& trial, std::uint32_t peer,
                                    const LaneScale& scale, std::int64_t top);

}  // namespace isotick::harness
