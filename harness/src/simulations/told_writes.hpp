#pragma once
// Reads the write log that note_writes returns (harness/PROTOCOL.md).

#include "wire.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/system_reads.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace isotick::harness {

/// One change of the state.
struct ToldWrite {
    Verb during = Verb::step;          ///< begin_frame, step, render or load
    std::vector<CallSite> calls;       ///< source lines, the innermost first
    std::span<const std::byte> after;  ///< the state's field stream
};

/// All of them, in order.
struct ToldWrites {
    bool cut = false;                  ///< there may be more
    std::span<const std::byte> first;  ///< the field stream before them
    std::vector<ToldWrite> writes;
};

/// The result refers to `told`. Fails with `damaged`.
[[nodiscard]] core::Result<ToldWrites> read_told_writes(std::span<const std::byte> told);

}  // namespace isotick::harness
