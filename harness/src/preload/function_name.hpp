#pragma once
// What a function is called in a report.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// The full name without parameters, of what a linker calls `symbol`: `game::Lander::step`.
[[nodiscard]] std::string full_name(const std::string& symbol);

/// Its last two parts, without template arguments: `Lander::step`.
[[nodiscard]] std::string short_name(std::string_view full);

/// The symbols of the functions that the address belongs to, `offset` behind where `file` is
/// loaded, those that are inlined there first; empty where that is not known.
[[nodiscard]] std::vector<std::string> symbols_at(const std::string& file, std::uint64_t offset);

}  // namespace isotick::harness
