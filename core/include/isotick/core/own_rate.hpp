#pragma once
// Objects with update rates of their own within a fixed tick: "each entity could be on its own
// update schedule with its own simulation rate" (the forum thread on fixed timestep logic).

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>

namespace isotick::core {

/// Says how often an object is due in each tick of the session, exactly and from the tick's number
/// alone: nothing accumulates, nothing drifts, and nothing has to be saved. Due k times by the end
/// of tick n, where k is (n + 1) × own rate / session rate, rounded down. A value; thread-safe to
/// read.
class OwnRate {
  public:
    /// Fails with ErrorCode::limit where an object would be due more than 2^31 times in a tick.
    [[nodiscard]] static Result<OwnRate> make(TickRate session, TickRate own);

    /// How often the object is due in `tick`: 0, 1 or, where its rate is the higher one, more.
    [[nodiscard]] std::uint64_t due_in(Tick tick) const;

    /// How often it was due in all the ticks before `tick`.
    [[nodiscard]] std::uint64_t due_before(Tick tick) const;

  private:
    OwnRate(std::uint64_t numerator, std::uint64_t denominator)
        : numerator_(numerator), denominator_(denominator) {}

    std::uint64_t numerator_;  // of own rate / session rate
    std::uint64_t denominator_;
};

}  // namespace isotick::core
