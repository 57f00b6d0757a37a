#pragma once
// The dt block of a chunk (FORMAT.md, "Dt block"): runs of ticks with the same dt.

#include "bytes.hpp"

#include <isotick/core/tick_dt.hpp>
#include <isotick/replay/dt_changes.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

/// The most bytes a dt block may take, compressed or not.
inline constexpr std::uint64_t kLongestDtBlock = std::uint64_t{1} << 21;

/// Appends the block for `changes`, which are not empty, over `ticks` ticks to `out`, in the
/// shorter form. `constant` is the dt of the head's rate.
void encode_dts(const DtChanges& changes, std::uint32_t ticks, core::TickDt constant, Bytes& out);

/// Reads a block back; `changes` is overwritten. False if it is not well-formed, or if every tick
/// has the constant dt, which no block says.
[[nodiscard]] bool decode_dts(std::span<const std::byte> block, std::uint32_t ticks,
                              core::TickDt constant, DtChanges& changes);

}  // namespace isotick::replay
