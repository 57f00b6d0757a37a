#pragma once
// Ticks that a rollback may still replace.

#include "../write/tick_batch.hpp"

#include <isotick/core/plugin.h>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::replay {

/// A ring of ticks, each with its inputs and hashes, in memory that is reused.
class UnconfirmedTicks {
  public:
    struct View {
        std::span<const isotick_input> inputs;
        const TickHashes* hashes;  ///< null where none were given
        std::optional<core::TickDt> dt;
    };

    UnconfirmedTicks(std::uint32_t most, std::size_t columns) : slots_(most), view_(columns) {
        for (Slot& slot : slots_) {
            slot.inputs.resize(columns);
        }
        for (std::size_t column = 0; column < columns; ++column) {
            view_[column].player =
                column + 1 < columns ? static_cast<std::uint32_t>(column) : ISOTICK_WORLD;
        }
    }

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// Drops all but the first `size`.
    void cut(std::uint64_t size) { size_ = size; }

    /// Adds a tick; there must be room.
    void push(std::span<const isotick_input> inputs, const TickHashes* hashes,
              std::optional<core::TickDt> dt) {
        Slot& slot = at(size_++);
        for (std::size_t column = 0; column < inputs.size(); ++column) {
            const isotick_input& input = inputs[column];
            slot.inputs[column].set(input_code(input), input.data);
        }
        slot.dt = dt;
        slot.has_hashes = hashes != nullptr;
        if (hashes != nullptr) {
            slot.parts.assign(hashes->parts.begin(), hashes->parts.end());
            slot.hashes.state = hashes->state;
        }
    }

    /// The first tick, valid until the next call.
    [[nodiscard]] View front() {
        Slot& slot = at(0);
        for (std::size_t column = 0; column < view_.size(); ++column) {
            view_[column].present = slot.inputs[column].code == 0 ? 0 : 1;
            view_[column].size = slot.inputs[column].size();
            view_[column].data = slot.inputs[column].bytes.data();
        }
        slot.hashes.parts = slot.parts;
        return {view_, slot.has_hashes ? &slot.hashes : nullptr, slot.dt};
    }

    void pop() {
        first_ = (first_ + 1) % slots_.size();
        --size_;
    }

  private:
    struct Slot {
        std::vector<ColumnInput> inputs;
        std::vector<core::PartHash> parts;
        TickHashes hashes;
        bool has_hashes = false;
        std::optional<core::TickDt> dt;
    };

    Slot& at(std::uint64_t index) {
        return slots_[static_cast<std::size_t>((first_ + index) % slots_.size())];
    }

    std::vector<Slot> slots_;
    std::vector<isotick_input> view_;
    std::uint64_t first_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace isotick::replay
