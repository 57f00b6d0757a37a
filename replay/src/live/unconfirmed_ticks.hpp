#pragma once
// Ticks that a rollback may still replace.

#include <isotick/core/detail/time/tick_dt.hpp>
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

    explicit UnconfirmedTicks(std::uint32_t most) : slots_(most) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// Drops all but the first `size`.
    void cut(std::uint64_t size) { size_ = size; }

    /// Adds a tick; there must be room.
    void push(std::span<const isotick_input> inputs, const TickHashes* hashes,
              std::optional<core::TickDt> dt) {
        Slot& slot = at(size_++);
        slot.inputs.assign(inputs.begin(), inputs.end());
        slot.bytes.clear();
        for (const isotick_input& input : inputs) {
            slot.bytes.insert(slot.bytes.end(), input.data, input.data + input.size);
        }
        const std::uint8_t* next = slot.bytes.data();
        for (isotick_input& input : slot.inputs) {
            input.data = next;
            next += input.size;
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
        slot.hashes.parts = slot.parts;
        return {slot.inputs, slot.has_hashes ? &slot.hashes : nullptr, slot.dt};
    }

    void pop() {
        first_ = (first_ + 1) % slots_.size();
        --size_;
    }

  private:
    struct Slot {
        std::vector<isotick_input> inputs;  // their data points into bytes
        std::vector<std::uint8_t> bytes;
        std::vector<core::PartHash> parts;
        TickHashes hashes;
        bool has_hashes = false;
        std::optional<core::TickDt> dt;
    };

    Slot& at(std::uint64_t index) {
        return slots_[static_cast<std::size_t>((first_ + index) % slots_.size())];
    }

    std::vector<Slot> slots_;
    std::uint64_t first_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace isotick::replay
