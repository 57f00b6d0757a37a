#pragma once
// When a pass over many places has been in vain for long enough.

#include <cstdint>

namespace isotick::harness {

/// Lets go after so many places in a row at which nothing helped.
class Patience {
  public:
    static constexpr std::uint32_t kInVain = 12;

    [[nodiscard]] bool left() const { return in_vain_ < kInVain; }
    void tried(bool helped) { in_vain_ = helped ? 0 : in_vain_ + 1; }

  private:
    std::uint32_t in_vain_ = 0;
};

}  // namespace isotick::harness
