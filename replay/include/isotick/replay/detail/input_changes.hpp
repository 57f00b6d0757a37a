#pragma once
// The inputs of consecutive ticks as changes: what TickChunk holds and what the format stores.

#include <cstdint>
#include <vector>

namespace isotick::replay {

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

}  // namespace isotick::replay
