#pragma once
// The simulations that come with isotick: to try it on, to test it with, and as examples.
//
// `spring` is the damped spring of the literature; `skirmish` is a small real-time strategy game.
// Each `control:…` is a skirmish with one leak that verify must catch; the `twin:…` of the same
// name makes the same observation and keeps it out of the state, so verify must stay silent.
// `fault:stale-cache` is a skirmish that forgets a piece of its state, as an audit must find.

#include <isotick/core/plugin.h>

#include <span>
#include <string_view>

namespace isotick::core {

/// All reference simulations, sorted by name. The tables live until the program ends. Thread-safe.
[[nodiscard]] std::span<const isotick_simulation_table* const> reference_simulations();

/// The reference simulation called `name`; null if there is none. Thread-safe.
[[nodiscard]] const isotick_simulation_table* find_reference_simulation(std::string_view name);

}  // namespace isotick::core
