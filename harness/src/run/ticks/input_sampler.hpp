#pragma once
// The inputs of a session while it is being recorded.

#include "../../inputs/random_input.hpp"

#include <isotick/core/random.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/worker/progress.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// Samples every player's input, and the world's where a bot plays. What it draws depends on the
/// session's seed and the order of the calls alone.
class InputSampler {
  public:
    InputSampler(InputSource source, std::uint32_t players, std::uint64_t seed);

    InputSampler(const InputSampler&) = delete;
    InputSampler& operator=(const InputSampler&) = delete;

    /// Opens the recording that inputs come from; does nothing where they come from elsewhere.
    /// They are then changed by `edits`.
    [[nodiscard]] core::Result<void> open(const std::string& recording, const InputEdits& edits);

    /// Finds out what random inputs are to look like; does nothing where inputs come from
    /// elsewhere. Both must outlive the sampler; `progress` is told of each question. Fails with
    /// `usage` where players' inputs are described but none is found.
    [[nodiscard]] core::Result<void> learn(const isotick_simulation_table& table,
                                           Progress& progress);

    /// Takes a new sample for the frame whose next tick is `tick`.
    [[nodiscard]] core::Result<void> sample(core::Simulation& simulation, core::Tick tick);

    /// To be called once for each tick, before its inputs are used: a recording's inputs belong to
    /// their ticks, whatever frame these fall in.
    [[nodiscard]] core::Result<void> begin_tick();

    /// The inputs: players in order, the world last. Valid until the next sample or tick.
    [[nodiscard]] std::span<const isotick_input> inputs() const {
        return edited_.empty() ? inputs_ : edited_;
    }
    [[nodiscard]] std::uint64_t present() const;

    /// The dt of the tick, where its inputs come from a recording that has one of its own for it.
    [[nodiscard]] std::optional<core::TickDt> dt() const {
        return ticks_ ? ticks_->dt() : std::nullopt;
    }

  private:
    InputSource source_;
    std::uint64_t seed_;
    core::Pcg32 random_;
    std::vector<std::vector<std::uint8_t>> bytes_;
    std::vector<RandomInput> drawn_;  // by column; the world's only where it is described
    std::vector<isotick_input> inputs_;
    std::optional<replay::Reader> recording_;
    std::optional<replay::RecordedTicks> ticks_;  // of that recording
    std::optional<InputEditor> editor_;
    std::span<const isotick_input> edited_;  // of the tick that has begun
};

}  // namespace isotick::harness
