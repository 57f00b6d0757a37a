#pragma once
// What identifies a session, apart from its inputs.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace isotick::replay {

/// The most players a session may have.
inline constexpr std::uint32_t kMostPlayers = 4096;

/// A session without its inputs: everything a simulation is created from except the environment.
struct SessionInfo {
    std::string simulation;  ///< the simulation's name; not empty
    core::TickRate rate = {};
    std::uint32_t players = 0;  ///< at most kMostPlayers
    std::uint64_t seed = 0;
    core::Settings config = {};

    friend bool operator==(const SessionInfo&, const SessionInfo&) = default;
};

/// The canonical bytes of `info` (FORMAT.md, "Session info"): equal sessions have equal bytes, on
/// every machine. The session digest begins with them.
[[nodiscard]] std::vector<std::byte> canonical_bytes(const SessionInfo& info);

/// How many ticks a chunk of a recording at `rate` holds: the smallest power of two that lasts at
/// least one second, at least 16 and at most 4096.
[[nodiscard]] std::uint32_t chunk_ticks(core::TickRate rate);

}  // namespace isotick::replay
