#pragma once
// The exact dt of a single tick, where ticks differ in length.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::core {

// The dt of one tick, where ticks need not last equally long.

/// How much time one tick advances a simulation by: an exact fraction of a second in lowest terms.
/// It may be zero (a clock that is asked twice at once), never less. Equal values are equal in
/// every bit, however they were made: a recording that keeps them gives back what was stepped.
class TickDt {
  public:
    /// The constant dt of a tick rate.
    explicit TickDt(TickRate rate)
        : numerator_(rate.denominator()), denominator_(rate.numerator()) {}

    /// `numerator / denominator` seconds, reduced. Fails with `usage` on a denominator of zero.
    [[nodiscard]] static Result<TickDt> make(std::uint64_t numerator, std::uint64_t denominator);

    /// As long as a frame took; a negative frame time counts as zero.
    [[nodiscard]] static TickDt of(FrameTime frame_time);

    /// Exactly `seconds`, for loops that measure in floating point. Fails with `usage` where that
    /// is negative, not a number, or no fraction of two 64-bit numbers: what is shorter than half
    /// a millisecond may need more bits than there are (a float may be 2^-40 and less).
    [[nodiscard]] static Result<TickDt> exactly(double seconds);

    /// Reads `1/60`, `2`: what to_string writes, and the same fractions in other terms.
    [[nodiscard]] static Result<TickDt> parse(std::string_view text);

    [[nodiscard]] std::uint64_t numerator() const { return numerator_; }
    [[nodiscard]] std::uint64_t denominator() const { return denominator_; }

    /// double(numerator) / double(denominator): what a simulation gets. Of what exactly() made,
    /// the same bits again.
    [[nodiscard]] double seconds() const {
        return static_cast<double>(numerator_) / static_cast<double>(denominator_);
    }

    friend bool operator==(const TickDt&, const TickDt&) = default;

  private:
    TickDt(std::uint64_t numerator, std::uint64_t denominator);

    std::uint64_t numerator_;
    std::uint64_t denominator_;
};

/// `1/60`, or `2` where the denominator is 1; in seconds. TickDt::parse reads it back.
[[nodiscard]] std::string to_string(TickDt dt);

// Whether a simulation may be stepped by a dt that is not the constant one.

/// Succeeds if `dt` is the constant one, or the simulation declares that it accepts a changing dt
/// (ISOTICK_CHANGING_DT). Fails with `usage`, naming `tick`.
[[nodiscard]] Result<void> check_dt(const isotick_info& info, Tick tick, TickDt dt,
                                    TickDt constant);

}  // namespace isotick::core
