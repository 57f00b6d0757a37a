#pragma once
// At which of its steps a trial failed.

#include <isotick/core/time.hpp>
#include <isotick/harness/trial.hpp>

#include <optional>

namespace isotick::harness {

/// The number, from 0, of the first step that a divergence or a crash shows in or after; where no
/// loop goes back in time, its tick. A crash between two steps counts for the one to come. None
/// where a trial did neither, or before its first frame, or when it was over.
[[nodiscard]] std::optional<core::Tick> failed_step(const TrialResult& result);

/// Whether `result` fails as `original` does: both diverged, or both crashed in the same call.
[[nodiscard]] bool fails_alike(const TrialResult& result, const TrialResult& original);

}  // namespace isotick::harness
