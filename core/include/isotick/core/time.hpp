#pragma once
// Ticks, frame times and tick rates: integers and fractions only, so that no amount of simulated
// time loses a bit.

#include <isotick/core/result.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::core {

/// The number of a tick, counted from 0. The tick count is the simulation's only clock.
struct Tick {
    std::uint64_t value = 0;
    friend auto operator<=>(const Tick&, const Tick&) = default;
};

/// How long one frame of the host took, in nanoseconds. Zero and negative frame times are ordinary
/// values: real clocks produce them.
struct FrameTime {
    std::int64_t nanoseconds = 0;
    friend auto operator<=>(const FrameTime&, const FrameTime&) = default;
};

inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// A rate in events per second as an exact fraction in lowest terms: 60/1, 60000/1001. Used for
/// ticks and for frames.
class TickRate {
  public:
    static constexpr std::uint32_t kLargestTerm = 1'000'000'000;

    /// 60 ticks per second.
    TickRate() = default;

    /// `numerator / denominator` per second, reduced. Both must be from 1 to kLargestTerm.
    [[nodiscard]] static Result<TickRate> make(std::uint64_t numerator, std::uint64_t denominator);

    /// Reads `60`, `60000/1001`, with or without a trailing `hz`.
    [[nodiscard]] static Result<TickRate> parse(std::string_view text);

    [[nodiscard]] std::uint32_t numerator() const { return numerator_; }
    [[nodiscard]] std::uint32_t denominator() const { return denominator_; }

    /// The length of a tick in seconds, computed once as double(denominator) / double(numerator):
    /// the one value every simulation sees as a constant dt.
    [[nodiscard]] double dt_seconds() const {
        return static_cast<double>(denominator_) / static_cast<double>(numerator_);
    }

    /// The exact time at which tick `count` is complete (count × dt), rounded down to a
    /// nanosecond. Exact for any count whose result fits; saturates at the largest int64.
    [[nodiscard]] std::int64_t time_of(std::uint64_t count) const;

    friend bool operator==(const TickRate&, const TickRate&) = default;

  private:
    TickRate(std::uint32_t numerator, std::uint32_t denominator)
        : numerator_(numerator), denominator_(denominator) {}

    std::uint32_t numerator_ = 60;
    std::uint32_t denominator_ = 1;
};

/// `60hz` or `60000/1001hz`; TickRate::parse reads it back.
[[nodiscard]] std::string to_string(TickRate rate);

// Objects with update rates of their own within a fixed tick: "each entity could be on its own
// update schedule with its own simulation rate" (the forum thread on fixed timestep logic).

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
