#pragma once
// Whether two trials do the same up to some frame.

#include <isotick/harness/trial.hpp>

#include <cstdint>

namespace isotick::harness {

/// Where a trial stands.
struct Position {
    std::uint64_t frames = 0;  ///< that have ended
    std::uint64_t ticks = 0;   ///< in them
};

/// Whether both plans are the same up to there: in their frame times and inputs until then, and in
/// all else. `rate` is the session's.
[[nodiscard]] bool begin_alike(const TrialPlan& a, const TrialPlan& b, Position position,
                               core::TickRate rate);

}  // namespace isotick::harness
