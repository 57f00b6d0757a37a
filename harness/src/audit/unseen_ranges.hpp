#pragma once
// Ranges of unseen memory: which of them to look into, and what came of it.

#include <isotick/harness/audit.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace isotick::harness {

/// Puts types into the report. What holds an address is told by that.
void take_types(std::vector<TypeMemory> types, AuditReport& report);

/// The first `most` ranges that are `wanted`, not more of one type than of the others as long as
/// they have any.
[[nodiscard]] std::vector<MemoryRange> choose_ranges(
    const AuditReport& report, std::size_t most,
    const std::function<bool(const UnseenRange&)>& wanted);

/// The structs that some of `ranges` are members of, each from its first to its last unseen member.
/// Those with one such member are left out.
[[nodiscard]] std::vector<MemoryRange> structs_of(const AuditReport& report,
                                                  std::span<const MemoryRange> ranges);

/// Puts down what came of them.
void take_facts(std::span<const PoisonFacts> poisons, std::span<const TransplantFacts> transplants,
                AuditReport& report);
void take_writers(std::span<const WriterFacts> writers, AuditReport& report);

/// The globals and statics that some of the ranges are in.
[[nodiscard]] std::vector<TypeMemory> globals_of(const AuditReport& report,
                                                 std::span<const MemoryRange> ranges);

/// Whether a range is to be named as a blind spot's cause.
[[nodiscard]] bool is_culprit(const UnseenRange& range);
[[nodiscard]] bool has_culprits(const AuditReport& report);

/// Gives those ranges the names of the members in `named` that they hold.
void name_ranges(std::span<const TypeMemory> named, AuditReport& report);

/// Whether a transplant made a restored future right.
[[nodiscard]] bool is_cured(const AuditReport& report);

/// What a range turned out to be. `can_save`: whether load was tried.
[[nodiscard]] RangeKind kind_of(const PoisonFacts& facts, bool can_save);

}  // namespace isotick::harness
