#pragma once
// The build that made a recording, where the user names one.

#include "options.hpp"

#include <isotick/harness/trial_runner.hpp>
#include <isotick/replay/recording_head.hpp>

#include <optional>
#include <string>

namespace isotick::program {

/// A runner of `simulation`, which the user gave as `option` (empty: not at all); none where
/// `simulation` is empty. Fails where it does not fit the recording.
[[nodiscard]] core::Result<std::optional<harness::TrialRunner>> recorded_side(
    const std::string& option, const std::string& simulation, const replay::RecordingHead& head,
    const harness::WorkerOptions& worker);

}  // namespace isotick::program
