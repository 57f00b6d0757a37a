#pragma once
// What an error, or damage, makes of a trial.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/progress.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

namespace isotick::harness {

/// Ends a trial that was at `place` with the verdict that `error` stands for.
void end_with(const core::Error& error, const Place& place, TrialResult& result);

/// Ends a trial for which this machine lacks something: that is no verdict on the simulation.
void end_with_shortage(core::Error shortage, TrialResult& result);

/// Ends a trial where its recording is damaged, unless it diverged before, and notes where the
/// recording has no end.
void note_end_of(const replay::Reader& reader, TrialResult& result);

}  // namespace isotick::harness
