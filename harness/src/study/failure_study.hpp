#pragma once
// What is found out about a trial that failed, by running it in other ways.

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

namespace isotick::harness {

// What verify makes of the trials that failed.

/// Runs every divergence of `report` once more in a fresh process. Of those that are the same again
/// the simplest is shrunk, confirmed by more runs of what is left and of the nominal schedule,
/// which came to `nominal` as trial 0, and explained: one of frames alone, else one that varies one
/// axis alone, else a mixture, and the earliest of its kind. Where none is confirmed, the simplest
/// whose runs differ is explained. Each whose runs differ becomes nondeterministic.
[[nodiscard]] core::Result<void> study_failures(VerifyReport& report, const TrialResult& nominal,
                                                const VerifyOptions& options,
                                                const TrialRunner& run);

}  // namespace isotick::harness
