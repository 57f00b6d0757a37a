#pragma once
// The ticks of a recording, one after another.

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::replay {

/// Walks over the intact ticks of a recording. The reader must outlive it.
class RecordedTicks {
  public:
    explicit RecordedTicks(Reader& reader) : reader_(reader) {}

    /// Goes to the next tick (at first: tick 0). False where there is none.
    [[nodiscard]] core::Result<bool> advance() {
        if (chunk_ != nullptr && ++row_ < chunk_->ticks()) {
            return true;
        }
        ISOTICK_TRY_ASSIGN(chunk_, reader_.next());
        row_ = 0;
        return chunk_ != nullptr;
    }

    /// About the current tick; valid until the next advance.
    [[nodiscard]] core::Tick tick() const { return core::Tick{chunk_->first_tick().value + row_}; }
    [[nodiscard]] std::span<const isotick_input> inputs() const { return chunk_->inputs(row_); }
    /// None: the constant dt of the head's rate.
    [[nodiscard]] std::optional<core::TickDt> dt() const { return chunk_->dt(row_); }
    [[nodiscard]] std::optional<core::StateHash> state_hash() const {
        return chunk_->state_hash(row_);
    }
    [[nodiscard]] std::span<const core::PartHash> part_hashes() const {
        return chunk_->part_hashes(row_);
    }
    /// Where it is stored.
    [[nodiscard]] const TickChunk& chunk() const { return *chunk_; }
    [[nodiscard]] std::uint32_t row() const { return row_; }

  private:
    Reader& reader_;
    const TickChunk* chunk_ = nullptr;
    std::uint32_t row_ = 0;
};

}  // namespace isotick::replay
