#pragma once
// Rigid bodies to try isotick on, clean and with planted faults: `pile`, `fault:missing`,
// `fault:missing-from-save` and `fault:padding`. Each is a plug-in, too (CMakeLists.txt).

#include <isotick/core/plugin.h>

#include <span>
#include <string_view>

namespace isotick::core {

/// Sorted by name.
[[nodiscard]] std::span<const isotick_simulation_table* const> pile_simulations();

/// A pile or a built-in simulation; null where none has this name.
[[nodiscard]] const isotick_simulation_table* find_simulation(std::string_view name);

}  // namespace isotick::core
