#pragma once
// What players did lately: what a rollback game guesses that they do next.

#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isotick::harness {

/// Guesses inputs of ticks that are not final yet. Most often a player goes on as in the last final
/// tick; sometimes the guess is what he did in a tick before that, or is right.
class EarlierInputs {
  public:
    explicit EarlierInputs(std::uint64_t seed) : random_(seed) {}

    /// The inputs of the next final tick, one per player and the world's.
    void add(std::span<const isotick_input> inputs);

    /// Guesses for a tick whose inputs are `actual`. Valid until the next call of either.
    [[nodiscard]] std::span<const isotick_input> guess(std::span<const isotick_input> actual);

  private:
    static constexpr std::size_t kKept = 32;

    struct Inputs {
        std::vector<isotick_input> inputs;
        std::vector<std::uint8_t> bytes;  // what inputs points into
    };

    // How many ticks ago a player did what he is taken to do; 0: the guess is right.
    [[nodiscard]] std::uint64_t draw_age();

    core::Pcg32 random_;
    bool is_right_ = false;             // until the next final tick
    std::uint64_t count_ = 0;           // of final ticks
    std::array<Inputs, kKept> latest_;  // a ring
    std::vector<isotick_input> guessed_;
};

}  // namespace isotick::harness
