#pragma once
// Where a difference comes into a step: two traces of it, and each differing value followed back
// to what it was computed from (a dynamic slice: Korel and Laski, 1988; of two runs that are held
// against each other: Weeratunge et al., "Analyzing concurrency bugs using dual slicing", 2010).

#include "../system/instruction_trace.hpp"

#include <isotick/harness/detail/field_report.hpp>

#include <cstdint>
#include <optional>

namespace isotick::harness {

/// A side's trace, and the instruction of it that made the write which the sides do not share.
struct TracedWrite {
    const InstructionTrace& trace;
    std::uint64_t instruction = 0;  ///< from 1; 0: this side makes no such write
    bool is_whole = true;           ///< the trace begins with the step
};

/// None where that is not found: what leads to the write is not traced from its beginning, or not
/// understood.
[[nodiscard]] std::optional<ValueOrigin> find_origin(const TracedWrite& a, const TracedWrite& b);

}  // namespace isotick::harness
