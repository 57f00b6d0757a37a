#pragma once
// When a pass over many places has been in vain for long enough.

#include <cstdint>

namespace isotick::harness {

/// Lets go after so many places in a row at which nothing helped.
class Patience {
  public:
    explicit Patience(std::uint32_t most_in_vain = 12) : most_in_vain_(most_in_vain) {}

    [[nodiscard]] bool left() const { return in_vain_ < most_in_vain_; }
    void tried(bool helped) { in_vain_ = helped ? 0 : in_vain_ + 1; }

  private:
    std::uint32_t most_in_vain_;
    std::uint32_t in_vain_ = 0;
};

}  // namespace isotick::harness
