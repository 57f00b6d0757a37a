#pragma once
// What verify makes of the trials that failed.

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

namespace isotick::harness {

/// Runs every divergence of `report` once more in a fresh process. The earliest that is the same
/// again is shrunk and explained; where there is none, the first that was another again.
[[nodiscard]] core::Result<void> study_failures(VerifyReport& report, const VerifyOptions& options,
                                                const TrialRunner& run);

}  // namespace isotick::harness
