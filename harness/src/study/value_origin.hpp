#pragma once
// Where a difference comes into a step: two traces of it, and each differing value followed back
// to what it was computed from (a dynamic slice: Korel and Laski, 1988; of two runs that are held
// against each other: Weeratunge et al., "Analyzing concurrency bugs using dual slicing", 2010).

#include "../system/instruction_trace.hpp"

#include <isotick/harness/detail/field_report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

/// Where a value lies, on each side.
struct ValuePlaces {
    std::uint64_t in_a = 0;
    std::uint64_t in_b = 0;
    std::uint64_t size = 0;  ///< in bytes
};

/// Who wrote a value last, on each side.
struct LastWrites {
    std::size_t value = 0;          ///< which one
    std::uint64_t in_a = 0;         ///< the instruction of the trace, from 1
    std::uint64_t in_b = 0;         ///< likewise
    std::vector<CodePlace> code_a;  ///< as in StateWrite
    std::vector<CodePlace> code_b;
};

/// Of the values that both traces write, the one that `a` writes first. Values are left out if a
/// system call comes after their last write, since it may have written them, too. None if there is
/// none, or if the code that wrote it is unknown.
[[nodiscard]] std::optional<LastWrites> first_written(const InstructionTrace& a,
                                                      const InstructionTrace& b,
                                                      std::span<const ValuePlaces> values);

}  // namespace isotick::harness
