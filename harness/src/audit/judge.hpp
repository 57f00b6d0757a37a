#pragma once
// From what the probes found to blind spots and a verdict.

#include <isotick/harness/audit.hpp>

namespace isotick::harness {

/// Fills in what follows from the facts of `report`: blind spots, what is not available, the
/// verdict. Requires that no probe failed.
void judge(AuditReport& report);

}  // namespace isotick::harness
