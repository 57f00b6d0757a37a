#pragma once
// Numbers that all loops share.

#include <isotick/core/detail/time/loop_options.hpp>
#include <isotick/core/time.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace isotick::core {

inline constexpr std::int64_t kMostNanoseconds = std::numeric_limits<std::int64_t>::max();
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
inline constexpr double kJustBelowOne = 1.0 - std::numeric_limits<double>::epsilon() / 2;

/// LoopOptions::longest_frame in nanoseconds, at least a tick; the largest int64 where none.
inline std::int64_t effective_longest_frame(TickRate rate, const LoopOptions& options) {
    if (!options.longest_frame) {
        return kMostNanoseconds;
    }
    // A nominal frame lasts a tick, rounded down or up.
    return std::max(options.longest_frame->nanoseconds, rate.time_of(1) + 1);
}

/// The nanoseconds of a frame time of which a negative one counts as zero.
inline std::int64_t not_negative(FrameTime time) {
    return std::max<std::int64_t>(time.nanoseconds, 0);
}

/// `a` + `b`, at most the largest int64. Neither may be negative.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    return a > kMostNanoseconds - b ? kMostNanoseconds : a + b;
}

inline double below_one(double alpha) {
    return std::clamp(alpha, 0.0, kJustBelowOne);
}

}  // namespace isotick::core
