#pragma once
// Floored multiples of a tick, one after the other, without a division each.

#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::core {

/// Gives the differences rate.time_of(k + 1) - rate.time_of(k) for k = 0, 1, 2, … for ever,
/// exactly and without the saturation of time_of.
class TickClock {
  public:
    explicit TickClock(TickRate rate)
        : numerator_(rate.numerator()),
          whole_(length(rate) / numerator_),
          remainder_(length(rate) % numerator_) {}

    /// The nanoseconds from this multiple to the next one.
    std::int64_t next() {
        carry_ += remainder_;
        std::uint64_t step = whole_;
        if (carry_ >= numerator_) {
            carry_ -= numerator_;
            ++step;
        }
        return static_cast<std::int64_t>(step);
    }

    /// Moves to the last multiple k with time_of(k) <= `elapsed`, and returns how much later than
    /// it `elapsed` is, nanoseconds. `elapsed` must not exceed the largest int64.
    std::int64_t seek(std::uint64_t elapsed) {
        const Wide product = whole_ * Wide{numerator_} + remainder_;  // one tick, in 1/numerator ns
        const Wide multiple = ((Wide{elapsed} + 1) * numerator_ - 1) / product * product;
        carry_ = static_cast<std::uint64_t>(multiple % numerator_);
        return static_cast<std::int64_t>(elapsed -
                                         static_cast<std::uint64_t>(multiple / numerator_));
    }

  private:
    __extension__ using Wide = unsigned __int128;

    static std::uint64_t length(TickRate rate) {
        return std::uint64_t{rate.denominator()} * kNanosecondsPerSecond;
    }

    std::uint64_t numerator_;
    std::uint64_t whole_;
    std::uint64_t remainder_;
    std::uint64_t carry_ = 0;
};

}  // namespace isotick::core
