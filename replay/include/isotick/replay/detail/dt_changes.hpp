#pragma once
// The dts of consecutive ticks as changes: what TickChunk holds and what the format stores.

#include <isotick/core/detail/time/tick_dt.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::replay {

/// From `tick` on, ticks have this dt.
struct DtChange {
    std::uint32_t tick = 0;          ///< counted from the chunk's first
    std::optional<core::TickDt> dt;  ///< none: the constant one of the head's rate
};

/// All changes of a chunk, by tick. Before the first, the dt is the constant one.
using DtChanges = std::vector<DtChange>;

}  // namespace isotick::replay
