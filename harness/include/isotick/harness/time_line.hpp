#pragma once
// What the peers of a session did, drawn over time.

#include <isotick/harness/lockstep.hpp>

#include <string>

namespace isotick::harness {

/// An SVG image of the trial that is shown, 1200 units wide, on light and dark ground: see
/// TIMELINE.md. Of sessions longer than 30 s it has the part around what went wrong, or the first
/// 30 s. Needs LockstepOptions::time_lines. The same report gives the same bytes.
[[nodiscard]] std::string time_line_svg(const LockstepReport& report);

}  // namespace isotick::harness
