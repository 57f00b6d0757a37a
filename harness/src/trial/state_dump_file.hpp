#pragma once
// State dumps on their way from a simulation into a file.

#include <isotick/core/simulation.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

/// Replaces the content of the file at `path`, which must exist, by a dump of the state now, which
/// `ticks_done` ticks made. Fails with `usage` where the simulation has no fields, with
/// `simulation` or `limit` where it cannot write them, with `io` where the file cannot be written.
[[nodiscard]] core::Result<void> write_state_dump(core::Simulation& simulation,
                                                  std::uint64_t ticks_done,
                                                  const std::string& path);

}  // namespace isotick::harness
