#pragma once
// Checks on a simulation's C table before anything in it is called.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <string_view>

namespace isotick::core {

/// What a simulation is created from: the session's facts without its inputs, and the
/// environment, which is never recorded.
struct SimulationSetup {
    TickRate rate;
    std::uint32_t players = 0;
    std::uint64_t seed = 0;
    Settings config;
    Settings environment;
};

/// Succeeds if `table` can be used by this isotick: its abi version is ours, its structs are large
/// enough, nothing is null that must not be, its info makes sense. The message names the member
/// that is wrong. `table` may be null, which is reported too.
[[nodiscard]] Result<void> check_table(const isotick_simulation_table* table);

/// Succeeds if the facts in `info`, which may be null, make sense. Part of check_table.
[[nodiscard]] Result<void> check_info(const isotick_info* info);

/// Succeeds if a simulation called `name` that takes `least` to `most` players takes `players`.
[[nodiscard]] Result<void> check_players(std::string_view name, std::uint32_t least,
                                         std::uint32_t most, std::uint32_t players);

/// Succeeds if `setup` asks for a number of players that `info` supports.
[[nodiscard]] Result<void> check_setup(const isotick_info& info, const SimulationSetup& setup);

/// The rate a simulation prefers. `info` must have passed check_table.
[[nodiscard]] TickRate preferred_rate(const isotick_info& info);

/// The hash algorithm's name: isotick's own unless the simulation brings its own.
[[nodiscard]] std::string_view hash_algorithm(const isotick_info& info);

/// How NaNs enter the simulation's hashes, as recordings store it: `bits` or `one`.
[[nodiscard]] std::string_view nan_policy(const isotick_info& info);

}  // namespace isotick::core
