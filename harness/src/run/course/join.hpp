#pragma once
// How a peer comes to the state of a session that others have begun.

#include <isotick/core/detail/try.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/peers/course_file.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

/// Loads the snapshot at `path`, which must be of the state that `first_tick` ticks made. Fails as
/// read_join_state and Simulation::load do, and with `usage` on another state.
[[nodiscard]] inline core::Result<void> load_join_state(const std::string& path,
                                                        std::uint64_t first_tick,
                                                        core::Simulation& simulation) {
    ISOTICK_TRY_ASSIGN(const JoinState from, read_join_state(path));
    if (from.ticks_done != first_tick) {
        return core::fail(core::ErrorCode::usage,
                          "the course begins at tick " + std::to_string(first_tick) +
                              ", but the snapshot is of the state that " +
                              std::to_string(from.ticks_done) + " ticks made");
    }
    return simulation.load(from.snapshot);
}

}  // namespace isotick::harness
