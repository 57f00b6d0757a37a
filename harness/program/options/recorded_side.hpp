#pragma once
// What runs a recording: what the user names, or what it says it is of.

#include "options.hpp"

#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <optional>
#include <string>

namespace isotick::program {

/// What `--sim` names, or where it is not given, what the recording says it is of.
[[nodiscard]] harness::SimulationName simulation_of(const replay::RecordingHead& head,
                                                    const std::string& chosen);

/// A runner of `simulation`, which the user gave as `option` (empty: not at all). Fails where it
/// does not fit the recording.
[[nodiscard]] core::Result<harness::TrialRunner> fitting_runner(
    const std::string& option, const harness::SimulationName& simulation,
    const replay::RecordingHead& head, const harness::WorkerOptions& worker);

/// The same for what the user gave as `--sim-a`; none where that is empty.
[[nodiscard]] core::Result<std::optional<harness::TrialRunner>> recorded_side(
    const std::string& chosen, const replay::RecordingHead& head,
    const harness::WorkerOptions& worker);

}  // namespace isotick::program
