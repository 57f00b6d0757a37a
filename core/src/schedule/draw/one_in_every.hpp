#pragma once
// Unusual frames that come in a known number.

#include <isotick/core/random.hpp>

#include <cstdint>

namespace isotick::core {

/// Picks exactly one frame out of every so many, each time at a place drawn anew.
class OneInEvery {
  public:
    explicit OneInEvery(std::uint32_t every) : every_(every) {}

    bool next(Pcg32& random) {
        if (at_ == 0) {
            place_ = random.below(every_);
        }
        const bool is_picked = at_ == place_;
        at_ = at_ + 1 == every_ ? 0 : at_ + 1;
        return is_picked;
    }

  private:
    std::uint32_t every_;
    std::uint32_t at_ = 0;
    std::uint32_t place_ = 0;
};

}  // namespace isotick::core
