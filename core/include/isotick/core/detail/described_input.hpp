#pragma once
// Calling a simulation's description of its inputs safely.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// Whether describe_input and compose_input can be called. `table` must have passed check_table.
[[nodiscard]] bool describes_inputs(const isotick_simulation_table& table);

/// What `bytes`, the input of `player` (or ISOTICK_WORLD), mean: one JSON value without whitespace
/// between its parts, printable, checked to be well-formed and of at most
/// ISOTICK_LONGEST_INPUT_TEXT bytes. Fails with `simulation` where the simulation says that they
/// mean nothing, throws, or writes something else. Requires describes_inputs(table). Not
/// thread-safe, as all calls through one table.
[[nodiscard]] Result<std::string> describe_input(const isotick_simulation_table& table,
                                                 std::uint32_t player,
                                                 std::span<const std::uint8_t> bytes);

/// The bytes of the input that `json` describes; at most ISOTICK_LONGEST_INPUT. Fails with
/// `damaged` where `json` is not well-formed, with `simulation` and its message where it makes no
/// sense to the simulation. Requires describes_inputs(table).
[[nodiscard]] Result<std::vector<std::uint8_t>> compose_input(const isotick_simulation_table& table,
                                                              std::uint32_t player,
                                                              std::string_view json);

/// As describe_input, but only where compose_input makes the same bytes of the text again: a text
/// that can stand for the bytes. None in all other cases.
[[nodiscard]] std::optional<std::string> faithful_description(const isotick_simulation_table& table,
                                                              std::uint32_t player,
                                                              std::span<const std::uint8_t> bytes);

}  // namespace isotick::core
