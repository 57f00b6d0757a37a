#pragma once
// What a simulation says of itself, and whether it fits a recording.

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

// What a simulation declares about itself, copied out of its table.

struct SimulationFacts {
    std::string name;
    std::string summary;
    std::string config_help;
    std::string build_id;
    std::string hash_algorithm;
    std::string nan_policy;  ///< `bits` or `one`: how NaNs enter the hash
    core::TickRate rate;
    std::uint32_t least_players = 0;
    std::uint32_t most_players = 0;
    std::uint32_t usual_players = 0;
    std::uint64_t capabilities = 0;
    bool has_bot = false;
    HostCalls calls;
};

/// `table` must have passed core::check_table.
[[nodiscard]] SimulationFacts facts_of(const isotick_simulation_table& table);

/// Asks a worker process, so that the simulation is never loaded into this one.
[[nodiscard]] core::Result<SimulationFacts> facts_from_worker(const SimulationName& simulation,
                                                              const WorkerOptions& options);

// Whether a recording and a simulation belong together.

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
