#pragma once
// What a simulation declares about itself, copied out of its table.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

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

}  // namespace isotick::harness
