#pragma once
// What an error makes of a trial.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/progress.hpp>
#include <isotick/harness/trial.hpp>

namespace isotick::harness {

/// Ends a trial that was at `place` with the verdict that `error` stands for.
void end_with(const core::Error& error, const Place& place, TrialResult& result);

}  // namespace isotick::harness
