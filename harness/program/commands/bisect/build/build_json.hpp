#pragma once
// What two ways to build a simulation came to, for machines.

#include "../../../../src/bisect/units/build_report.hpp"
#include "build_options.hpp"

#include <string>

namespace isotick::program {

[[nodiscard]] std::string build_json(const harness::bisect::BuildReport& report,
                                     const BuildOptions& options);

}  // namespace isotick::program
