#pragma once
// Ticks as they are stored: their inputs, dts and hashes.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::replay {

// The dts of consecutive ticks as changes: what TickChunk holds and what the format stores.

/// From `tick` on, ticks have this dt.
struct DtChange {
    std::uint32_t tick = 0;          ///< counted from the chunk's first
    std::optional<core::TickDt> dt;  ///< none: the constant one of the head's rate
};

/// All changes of a chunk, by tick. Before the first, the dt is the constant one.
using DtChanges = std::vector<DtChange>;

// The inputs of consecutive ticks as changes: what TickChunk holds and what the format stores.

/// From `tick` on `column` (a player, or the number of players for the world) has this input.
struct InputChange {
    std::uint32_t tick = 0;  ///< counted from the chunk's first
    std::uint32_t column = 0;
    std::uint32_t code = 0;    ///< 0: absent, else the size plus 1
    std::uint32_t offset = 0;  ///< of the input's bytes

    [[nodiscard]] std::uint32_t size() const { return code == 0 ? 0 : code - 1; }
};

/// All changes of a chunk. Every column is absent before its first change.
struct InputChanges {
    std::vector<InputChange> changes;  ///< by tick, then by column
    std::vector<std::uint8_t> bytes;

    void clear() {
        changes.clear();
        bytes.clear();
    }
};

// What a tick chunk stores of its ticks, as it stands in memory: a builder fills it and the encoder
// takes it, or the decoder fills it and a TickChunk shows it.

/// Consecutive ticks. The hashes are those that the head's stride stores, in order.
struct StoredTicks {
    std::uint64_t first = 0;
    std::uint32_t ticks = 0;
    InputChanges inputs;
    DtChanges dts;
    std::vector<core::StateHash> states;
    std::vector<core::PartHash> parts;  ///< one row behind the other

    [[nodiscard]] std::uint64_t end() const { return first + ticks; }
};

}  // namespace isotick::replay
