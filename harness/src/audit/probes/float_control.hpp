#pragma once
// The words that control how a thread computes with floating-point numbers.

#include <cstdint>
#include <string>

namespace isotick::harness {

/// Those of the calling thread at a moment: rounding, what becomes of numbers too small to be
/// normal, precision. Not the flags that tell what has happened. On processors other than x86-64
/// and 64-bit ARM, rounding only.
class FloatControl {
  public:
    [[nodiscard]] static FloatControl now();

    /// Makes them the calling thread's again.
    void restore() const;

    /// `rounds toward zero (before: to nearest)`: what is another since `before`.
    [[nodiscard]] std::string since(const FloatControl& before) const;

    friend bool operator==(const FloatControl&, const FloatControl&) = default;

  private:
    std::uint32_t main_ = 0;  // MXCSR without its flags, FPCR, or what fegetround says
    std::uint16_t x87_ = 0;
};

}  // namespace isotick::harness
