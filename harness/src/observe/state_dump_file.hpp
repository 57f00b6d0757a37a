#pragma once
// State dumps on their way from a simulation into a file.

#include <isotick/core/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace isotick::harness {

/// Replaces the content of the file at `path`, which must exist, by a dump of the state now, which
/// `ticks_done` ticks made. Fails with `usage` where the simulation has no fields, with
/// `simulation` or `limit` where it cannot write them, with `io` where the file cannot be written.
[[nodiscard]] core::Result<void> write_state_dump(core::Simulation& simulation,
                                                  std::uint64_t ticks_done,
                                                  const std::string& path);

/// The dump that this would write, in memory; empty where it would be larger than `most` bytes or
/// cannot be made.
[[nodiscard]] std::vector<std::byte> state_dump(core::Simulation& simulation,
                                                std::uint64_t ticks_done, std::size_t most);

}  // namespace isotick::harness
