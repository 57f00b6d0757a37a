#pragma once
// One player's random input, from sample to sample.

#include "typed_inputs.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

/// Draws inputs like those of somebody who plays: the same one for a while (four samples on
/// average), then one with a single value changed, now and then another altogether or the plain
/// one; sometimes none. Depends on seed, player and the simulation's descriptions alone.
class RandomInput {
  public:
    /// Learns what the player's inputs look like, asking `words`: where there are none, inputs are
    /// any bytes.
    RandomInput(std::uint64_t seed, std::uint32_t player, std::optional<InputWords> words);

    /// Whether there is anything to draw: false where inputs are described, but no example of one
    /// was found. Only absent ones are drawn then.
    [[nodiscard]] bool has_examples() const { return !described_ || typed_.has_value(); }

    /// Goes on to the next sample, and gives it; it is valid until the next call.
    [[nodiscard]] isotick_input sample();

  private:
    void change();

    core::Pcg32 random_;
    std::uint32_t player_;
    bool described_;
    std::optional<TypedInputs> typed_;
    TypedInput now_;  // goes on where an input is absent for a while; without text if not typed
    bool begun_ = false;
    bool present_ = false;
};

}  // namespace isotick::harness
