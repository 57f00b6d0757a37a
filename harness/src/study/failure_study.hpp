#pragma once
// What is found out about a trial that failed, by running it in other ways.

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

namespace isotick::harness {

// What verify makes of the trials that failed.

/// Runs every divergence of `report` once more in a fresh process. Where all are the same again,
/// the earliest is confirmed by more runs, of it and of the nominal schedule, which came to
/// `nominal` as trial 0; then it is shrunk and explained. Else the first that was another again is
/// explained.
[[nodiscard]] core::Result<void> study_failures(VerifyReport& report, const TrialResult& nominal,
                                                const VerifyOptions& options,
                                                const TrialRunner& run);

}  // namespace isotick::harness
