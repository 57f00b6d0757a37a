#pragma once
// The functions that a call came from, by name.

#include <isotick/harness/detail/system_reads.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// The simulation's own functions that the call came through, the innermost first:
/// `pick_wind`, `Lander::step`. One whose name is not known is `game.so+0x1234`. Those of the C and
/// C++ libraries and of isotick are left out.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<CallSite>& sites);

}  // namespace isotick::harness
