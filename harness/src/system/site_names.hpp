#pragma once
// Names of functions: the places in a simulation from which it called the system.

#include <isotick/harness/detail/system_reads.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// What a function is called in a report.

/// The full name without parameters, of what a linker calls `symbol`: `game::Lander::step`.
[[nodiscard]] std::string full_name(const std::string& symbol);

/// Its last two parts, without template arguments: `Lander::step`.
[[nodiscard]] std::string short_name(std::string_view full);

/// The functions that the instruction in front of the address belongs to, `offset` behind where
/// `file` is loaded, by their symbols, those that are inlined there first; empty where that is not
/// known.
[[nodiscard]] std::vector<CodePlace> functions_at(const std::string& file, std::uint64_t offset);

// The functions that a call came from, by name.

inline constexpr std::size_t kMostFunctions = 8;  ///< that a report shows of a call stack

/// The simulation's own functions that the call came through, the innermost first. One whose name
/// is not known is `game.so+0x1234`. Those of the C and C++ libraries and of isotick are left out,
/// and those behind the first `most`.
[[nodiscard]] std::vector<CodePlace> code_of(const std::vector<CallSite>& sites, std::size_t most);

/// The same, and which function of a library it called, if the call stack begins in one: `time`.
struct CalledCode {
    std::string called;  ///< empty: none
    std::vector<CodePlace> code;
};
[[nodiscard]] CalledCode called_code_of(std::vector<CallSite> sites, std::size_t most);

/// The names of the first four: `pick_wind`, `Lander::step`.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<CallSite>& sites);

/// `grow (tree.cpp:8), 5 times ← Tree::step (tree.cpp:40)`, from the innermost call outward.
[[nodiscard]] std::string code_text(std::span<const CodePlace> code);

}  // namespace isotick::harness
