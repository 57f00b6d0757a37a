#pragma once
// The dt block of a chunk (FORMAT.md, "Dt block"): runs of ticks with the same dt.

#include "bytes.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/replay/detail/stored_ticks.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

/// The most bytes a dt block may take.
inline constexpr std::uint64_t kLongestDtBlock = std::uint64_t{1} << 17;

/// Appends the block for `changes`, which are not empty, over `ticks` ticks to `out`, in the
/// shorter form. `constant` is the dt of the head's rate.
void encode_dts(const DtChanges& changes, std::uint32_t ticks, core::TickDt constant, Bytes& out);

/// What `changes`, which are not empty, count towards most_decoded.
[[nodiscard]] inline std::uint64_t decoded_size(const DtChanges& changes) {
    return kDtRunSize * (changes.size() + (changes.front().tick == 0 ? 0 : 1));
}

/// Reads a block back; `changes` is overwritten. False if it is not well-formed, beyond
/// most_decoded, or if every tick has the constant dt, which no block says.
[[nodiscard]] bool decode_dts(const StoredBlock& block, std::uint32_t ticks, core::TickDt constant,
                              DtChanges& changes);

}  // namespace isotick::replay
