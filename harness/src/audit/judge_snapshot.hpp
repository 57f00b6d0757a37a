#pragma once
// What restores say about a snapshot.

#include <isotick/harness/audit.hpp>

#include <string>

namespace isotick::harness {

/// `slow_ticks_`; without a name, `Pile +304`.
[[nodiscard]] std::string name_of(const UnseenPiece& piece);

/// Fills in the blind spots that restores showed.
void judge_snapshot(AuditReport& report);

/// `after tick 17 in bodies: bodies[3].spin  0.5 → 0.25 (…), and 4 more fields`.
[[nodiscard]] std::string describe(const StateDifference& difference);

}  // namespace isotick::harness
