#pragma once
// The inputs of a session while it is being recorded.

#include <isotick/core/random.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/record.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace isotick::harness {

/// Samples every player's input, and the world's where a bot plays. What it draws depends on the
/// session's seed and the order of the calls alone.
class InputSampler {
  public:
    InputSampler(InputSource source, std::uint32_t players, std::uint64_t seed);

    /// Takes a new sample for the frame whose next tick is `tick`.
    [[nodiscard]] core::Result<void> sample(core::Simulation& simulation, core::Tick tick);

    /// The sample: players in order, the world last. Valid until the next sample.
    [[nodiscard]] std::span<const isotick_input> inputs() const { return inputs_; }
    [[nodiscard]] std::uint64_t present() const;

  private:
    void draw_random(std::size_t column);

    InputSource source_;
    core::Pcg32 random_;
    std::vector<std::vector<std::uint8_t>> bytes_;
    std::vector<isotick_input> inputs_;
};

}  // namespace isotick::harness
