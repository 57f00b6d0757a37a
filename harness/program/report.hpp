#pragma once
// Divergences in words, for replay and verify.

#include "options.hpp"

#include <isotick/harness/explain.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/recording_head.hpp>

#include <optional>
#include <string>

namespace isotick::program {

/// ` --time-scale 1/4 …`: the options that are not the usual ones, each after a space.
[[nodiscard]] std::string loop_arguments(const LoopText& loop);

/// The command that replays `plan` and ends the same way.
[[nodiscard]] std::string reproducing_command(const harness::TrialPlan& plan,
                                              const CommonOptions& options);

/// The rows of a report on one trial that failed: what, where, provoked by what.
[[nodiscard]] std::string failure_rows(const replay::RecordingHead& head,
                                       const harness::TrialPlan& plan,
                                       const harness::TrialResult& result,
                                       const std::optional<harness::Explanation>& explanation,
                                       const CommonOptions& options);

/// `tick 17`, or where that is not known exactly, `tick 59 (hashes agreed up to tick 0)`.
[[nodiscard]] std::string when(const harness::TrialResult& result,
                               const std::optional<harness::Explanation>& explanation);

}  // namespace isotick::program
