#pragma once
// What two ways to build a simulation came to, for people.

#include "../../../../src/bisect/units/build_report.hpp"
#include "../../../output/console.hpp"
#include "build_options.hpp"

#include <string>

namespace isotick::program {

[[nodiscard]] std::string build_text(const harness::bisect::BuildReport& report,
                                     const BuildOptions& options, const Console& console);

/// `3 of 20 units: diverged at tick 4, units[*].x`, while the search goes on.
[[nodiscard]] std::string mixture_text(const harness::bisect::Mixed& mixed);

}  // namespace isotick::program
