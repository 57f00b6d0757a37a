#pragma once
// Whether a recording and a simulation belong together.

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/simulations/simulation_facts.hpp>
#include <isotick/replay/detail/recording_head.hpp>

namespace isotick::harness {

/// Succeeds if the recording is of this simulation, with a number of players it supports: it can be
/// played, whatever its hashes are.
[[nodiscard]] core::Result<void> check_session(const replay::RecordingHead& head,
                                               const SimulationFacts& facts);

/// Succeeds if the recording is of this simulation, with a number of players it supports and
/// hashes of its algorithm. The message says what differs.
[[nodiscard]] core::Result<void> check_match(const replay::RecordingHead& head,
                                             const SimulationFacts& facts);

/// What a simulation is created from to replay this recording.
[[nodiscard]] core::SimulationSetup setup_of(const replay::RecordingHead& head,
                                             const core::Settings& environment);

}  // namespace isotick::harness
