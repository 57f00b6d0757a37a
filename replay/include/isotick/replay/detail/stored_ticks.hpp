#pragma once
// What a tick chunk stores of its ticks, as it stands in memory: a builder fills it and the encoder
// takes it, or the decoder fills it and a TickChunk shows it.

#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/dt_changes.hpp>
#include <isotick/replay/detail/input_changes.hpp>

#include <cstdint>
#include <vector>

namespace isotick::replay {

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
