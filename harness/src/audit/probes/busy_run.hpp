#pragma once
// Runs in which calls that must leave the state alone are made in many ticks.

#include "future.hpp"

#include <span>
#include <string_view>

namespace isotick::harness {

/// Calls that must leave the state alone, but for `hash`, which every run makes.
enum class Call { begin_frame, propose_input, save, visit_fields, render };

[[nodiscard]] std::string_view to_string(Call call);

/// Those that the simulation offers.
[[nodiscard]] std::vector<Call> offered_calls(const Stage& stage);

/// Whether calls are made in `tick`: stretches of it are spread over the session, so that what
/// begins late is met too, and a short session is one of them.
[[nodiscard]] bool is_busy(std::uint64_t tick, std::uint64_t ticks);

/// Runs `simulation`, which is new, over the session, making `calls` in the busy ticks, until it
/// parts from `future`, which is that of the whole session. Draws from the plan's seed.
[[nodiscard]] core::Result<std::optional<Parting>> run_busily(Stage& stage,
                                                              core::Simulation& simulation,
                                                              std::span<const Call> calls,
                                                              const Future& future);

}  // namespace isotick::harness
