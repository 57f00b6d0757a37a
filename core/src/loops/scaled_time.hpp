#pragma once
// Time under a time scale that changes smoothly.

#include <isotick/core/detail/time/loop_options.hpp>

#include <cstdint>

namespace isotick::core {

/// Integrates a time scale that goes linearly from one value to another and then stays. The scaled
/// time is a function of the time so far alone, floored to nanoseconds: how it was divided into
/// frames does not matter, and nothing drifts.
class ScaledTime {
  public:
    __extension__ using Wide = __int128;

    /// The terms of `from` and `ramp.to` are at most ScaleRamp::kLargestTerm, `ramp.over` is above
    /// zero and at most ScaleRamp::kLongest.
    ScaledTime(Fraction from, const ScaleRamp& ramp);

    /// The scaled nanoseconds that pass in the next `nanoseconds`, which are not negative; at most
    /// the largest int64.
    [[nodiscard]] std::int64_t advance(std::int64_t nanoseconds);

  private:
    [[nodiscard]] Wide at(Wide time) const;

    Wide from_;  // the two scales over their common denominator
    Wide to_;
    Wide denominator_;
    Wide over_;
    Wide now_ = 0;
    Wide scaled_ = 0;
};

}  // namespace isotick::core
