#pragma once
// What a C++ simulation sees of one tick.

#include <isotick/core/plugin.h>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace isotick::core {

/// The inputs of one tick, one per player and one for the world. A view: valid during the step.
class Inputs {
  public:
    /// `entries` has one entry per player in order, ISOTICK_WORLD last.
    explicit Inputs(std::span<const isotick_input> entries) : entries_(entries) {}

    [[nodiscard]] std::size_t players() const { return entries_.empty() ? 0 : entries_.size() - 1; }

    /// The bytes of `player`'s input; none where the input is absent (which is not the same as
    /// empty). Requires player < players().
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> of(std::size_t player) const {
        const isotick_input& entry = entries_[player];
        if (entry.present == 0) {
            return std::nullopt;
        }
        return std::span(entry.data, static_cast<std::size_t>(entry.size));
    }

    /// The input that belongs to no player.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> world() const {
        return of(players());
    }

  private:
    std::span<const isotick_input> entries_;
};

/// Whom a step tells of its checkpoints; by default nobody.
struct CheckpointListener {
    void* context = nullptr;
    void (*reach)(void* context, const char* name) = nullptr;

    /// The host's, where it knows of checkpoints and listens.
    static CheckpointListener of(const isotick_step& step) {
        return step.struct_size > offsetof(isotick_step, checkpoint)
                   ? CheckpointListener{step.checkpoints, step.checkpoint}
                   : CheckpointListener{};
    }
};

/// One fixed-dt advance.
struct Step {
    Tick tick;
    double dt_seconds;     ///< double(dt_num) / double(dt_den)
    std::uint64_t dt_num;  ///< the exact dt in seconds is dt_num / dt_den
    std::uint64_t dt_den;
    Inputs inputs;
    CheckpointListener listener{};

    /// Names a point within the step ("ai", "physics"), at which the state can be hashed: where the
    /// tick of a divergence is explained, both sides are compared at each. Else it costs a branch.
    /// From the thread of the step only.
    void checkpoint(const char* name) const {
        if (listener.reach != nullptr) {
            listener.reach(listener.context, name);
        }
    }
};

/// Asks a simulation's bot for an input.
struct Proposal {
    std::uint32_t player;   ///< ISOTICK_WORLD for the world's input
    Tick tick;              ///< the tick the input would be for
    std::uint64_t entropy;  ///< uniform random bits, the only source of chance to draw on
};

}  // namespace isotick::core
