#pragma once
// The hashes of one state, and at which ticks a recording stores them.

#include <isotick/core/hash.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

/// The hashes of one state. A view: whoever hands it out says how long `parts` stays valid.
struct TickHashes {
    core::StateHash state;
    std::span<const core::PartHash> parts;  ///< in the order of the head's part names
};

/// At which ticks hashes are stored. The state hash after tick t is stored when (t + 1) is a
/// multiple of `hash_every`, and wherever part hashes are; these when (t + 1) is a multiple of
/// `parts_every` and the state has more than one part. The last tick of a finished recording and
/// the state before tick 0 have both in any case.
struct HashStride {
    std::uint32_t hash_every = 1;
    std::uint32_t parts_every = 60;
    std::uint32_t part_count = 1;

    [[nodiscard]] bool has_parts() const { return part_count > 1; }
    [[nodiscard]] bool parts_due(core::Tick tick) const {
        return has_parts() && (tick.value + 1) % parts_every == 0;
    }
    [[nodiscard]] bool hash_due(core::Tick tick) const {
        // Dividing takes longer than all else that a live game pays for at most ticks.
        return hash_every == 1 || (tick.value + 1) % hash_every == 0 || parts_due(tick);
    }
    friend bool operator==(const HashStride&, const HashStride&) = default;
};

}  // namespace isotick::replay
