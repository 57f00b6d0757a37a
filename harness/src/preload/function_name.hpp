#pragma once
// What a function is called in a report.

#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::harness {

/// The full name without parameters, of what a linker calls `symbol`: `game::Lander::step`.
[[nodiscard]] std::string full_name(const std::string& symbol);

/// Its last two parts, without template arguments: `Lander::step`.
[[nodiscard]] std::string short_name(std::string_view full);

/// The symbol of the function that the address belongs to, `offset` behind where `file` is loaded;
/// empty where that is not known.
[[nodiscard]] std::string symbol_at(const std::string& file, std::uint64_t offset);

}  // namespace isotick::harness
