#pragma once
// The words that control how a thread computes with floating-point numbers.

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

/// A way in which drivers, audio code and other libraries leave them.
enum class FloatChange : std::uint8_t {
    upward,
    downward,
    toward_zero,
    flush_denormals,  ///< numbers too small to be normal are taken for zero, and become it
    x87_single,       ///< the x87 computes with 24 bits
};

/// Those of the calling thread at a moment: rounding, what becomes of numbers too small to be
/// normal, precision. Not the flags that tell what has happened. On processors other than x86-64
/// and 64-bit ARM, rounding only.
class FloatControl {
  public:
    [[nodiscard]] static FloatControl now();

    /// Makes them the calling thread's again.
    void restore() const;

    /// These with one change; none where this processor knows no such thing.
    [[nodiscard]] std::optional<FloatControl> with(FloatChange change) const;

    /// `rounds toward zero (before: to nearest)`: what is another since `before`.
    [[nodiscard]] std::string since(const FloatControl& before) const;

    friend bool operator==(const FloatControl&, const FloatControl&) = default;

  private:
    std::uint32_t main_ = 0;  // MXCSR without its flags, FPCR, or what fegetround says
    std::uint16_t x87_ = 0;
};

}  // namespace isotick::harness
