#pragma once
// Recordings of which every byte of a chunk is chosen, with checksums and digests that are right:
// what another writer could make, or somebody who means harm.

#include "fake_session.hpp"
#include "format/bytes.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace isotick::replay {

/// What enters the session digest: the input of `column` from `tick` of the chunk on.
struct CountedInput {
    std::uint32_t tick = 0;
    std::uint32_t column = 0;
    Input input;
};

struct MadeChunk {
    std::uint32_t ticks = 16;
    Bytes inputs;                       ///< the input block
    bool is_zstd = false;               ///< whether that is compressed
    Bytes dts;                          ///< the dt block, raw; empty: none
    std::vector<CountedInput> counted;  ///< by tick, then by column
    std::vector<std::optional<core::TickDt>>
        own_dts;  ///< of the first ticks, in the session digest
};

/// A head without parts, 16 ticks a chunk, a hash every tick.
RecordingHead made_head(std::uint32_t players);

/// A finished recording without a tail. All hashes are zero. The chunks but the last must be full.
std::vector<std::byte> made_recording(const RecordingHead& head,
                                      const std::vector<MadeChunk>& chunks);

Bytes bytes_of(std::initializer_list<unsigned> values);

}  // namespace isotick::replay
