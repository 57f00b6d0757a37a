#pragma once
// Audits in words and for machines.

#include <isotick/harness/audit.hpp>

#include <string>

namespace isotick::program {

/// All sections and the blind spots, without the line of the verdict.
[[nodiscard]] std::string audit_text(const harness::AuditReport& report);

/// The word for the verdict: `clean`, `blind` …
[[nodiscard]] std::string audit_verdict(const harness::AuditReport& report);

/// What stands behind that word: how many blind spots, or how much of the session was probed and
/// what was not.
[[nodiscard]] std::string audit_summary(const harness::AuditReport& report);

/// One JSON document.
[[nodiscard]] std::string audit_json(const harness::AuditReport& report);

}  // namespace isotick::program
