#pragma once
// What comes after trials of which some crashed and none diverged.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/verify.hpp>

namespace isotick::harness {

/// Shrinks the schedule of the trial that crashed first, by steps; what is shown is the smaller
/// one, once a fresh process has crashed in it too.
[[nodiscard]] core::Result<void> study_crash(VerifyReport& report, const VerifyOptions& options,
                                             const TrialRunner& run);

}  // namespace isotick::harness
