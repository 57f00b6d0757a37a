#pragma once
// What the measurements of an audit mean.

#include <isotick/harness/audit.hpp>

namespace isotick::harness {

// From what the probes found to blind spots and a verdict.

/// Fills in what follows from the facts of `report`: blind spots, what is not available, the
/// verdict. Requires that no probe failed.
void judge(AuditReport& report);

/// The first restore into a new instance that has not restored a field; null: there is none.
[[nodiscard]] const RestoreFacts* first_unrestored(const AuditReport& report);

}  // namespace isotick::harness
