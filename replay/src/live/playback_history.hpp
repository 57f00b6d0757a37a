#pragma once
// The ticks of a recording that a playback can still be asked about.

#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::replay {

/// One tick as it was recorded, copied out of its chunk.
struct PlayedTick {
    core::Tick tick;
    std::vector<isotick_input> inputs;
    std::vector<std::uint8_t> bytes;  // what the inputs point into
    std::optional<core::TickDt> dt;   // its own
    std::optional<core::StateHash> recorded;
    std::vector<core::PartHash> recorded_parts;
    bool is_checked = false;

    void take(const RecordedTicks& source) {
        tick = source.tick();
        const auto given = source.inputs();
        inputs.assign(given.begin(), given.end());
        bytes.clear();
        for (const isotick_input& input : inputs) {
            bytes.insert(bytes.end(), input.data, input.data + input.size);
        }
        std::size_t offset = 0;
        for (isotick_input& input : inputs) {
            input.data = bytes.data() + offset;
            offset += input.size;
        }
        dt = source.dt();
        recorded = source.state_hash();
        const auto parts = source.part_hashes();
        recorded_parts.assign(parts.begin(), parts.end());
        is_checked = false;
    }
};

/// The last ticks that were handed out. Their memory is reused.
class PlaybackHistory {
  public:
    explicit PlaybackHistory(std::size_t most) : ticks_(most) {}

    /// Copies the tick that `source` is at, which follows the one before.
    const PlayedTick& push(const RecordedTicks& source) {
        PlayedTick& slot = slot_of(source.tick());
        slot.take(source);
        end_ = source.tick().value + 1;
        return slot;
    }

    /// None where `tick` was not handed out, or is too long ago.
    [[nodiscard]] PlayedTick* find(core::Tick tick) {
        const bool is_kept = tick.value < end_ && end_ - tick.value <= ticks_.size();
        return is_kept ? &slot_of(tick) : nullptr;
    }

  private:
    [[nodiscard]] PlayedTick& slot_of(core::Tick tick) {
        return ticks_[static_cast<std::size_t>(tick.value % ticks_.size())];
    }

    std::vector<PlayedTick> ticks_;
    std::uint64_t end_ = 0;  // the first tick that was not handed out
};

}  // namespace isotick::replay
