#include "scaled_time.hpp"

#include "limits.hpp"

#include <algorithm>

namespace isotick::core {

// Why 128 bits suffice: terms are below 2^20, so from_, to_ and denominator_ are below 2^40, as is
// over_. During the ramp, 2 × over × from × time < 2^121 and to × time² < 2^120. After it, time is
// kept below 2^85, and 2 × to × time < 2^126.
ScaledTime::ScaledTime(Fraction from, const ScaleRamp& ramp)
    : from_(static_cast<Wide>(from.numerator) * ramp.to.denominator),
      to_(static_cast<Wide>(ramp.to.numerator) * from.denominator),
      denominator_(static_cast<Wide>(from.denominator) * ramp.to.denominator),
      over_(ramp.over.nanoseconds) {}

ScaledTime::Wide ScaledTime::at(Wide time) const {
    if (time < over_) {
        return (2 * over_ * from_ * time + (to_ - from_) * time * time) /
               (2 * over_ * denominator_);
    }
    return ((from_ + to_) * over_ + 2 * to_ * (time - over_)) / (2 * denominator_);
}

std::int64_t ScaledTime::advance(std::int64_t nanoseconds) {
    constexpr Wide kEndOfTime = Wide{1} << 85U;
    now_ = std::min(now_ + nanoseconds, kEndOfTime);
    const Wide before = scaled_;
    scaled_ = at(now_);
    return static_cast<std::int64_t>(std::min(scaled_ - before, Wide{kMostNanoseconds}));
}

}  // namespace isotick::core
