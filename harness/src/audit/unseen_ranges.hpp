#pragma once
// Ranges of unseen memory: which of them to look into, and what came of it.

#include <isotick/harness/audit.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace isotick::harness {

/// Puts types into the report, their ranges as they are.
void take_types(std::vector<TypeMemory> types, AuditReport& report);

/// Splits the report's ranges: at the borders of members where those are known, else at multiples
/// of eight bytes. Returns the first `most` of what may hold state, not more of one type than of
/// the others as long as they have any.
[[nodiscard]] std::vector<MemoryRange> choose_ranges(AuditReport& report, const MemberNames& names,
                                                     std::size_t most);

/// Puts down what came of them.
void take_facts(std::span<const PoisonFacts> poisons, std::span<const TransplantFacts> transplants,
                AuditReport& report);

/// What a range turned out to be. `can_save`: whether load was tried.
[[nodiscard]] RangeKind kind_of(const PoisonFacts& facts, bool can_save);

}  // namespace isotick::harness
