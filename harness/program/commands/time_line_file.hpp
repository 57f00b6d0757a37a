#pragma once
// The file that shows a session over time.

#include "lockstep_options.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/lockstep.hpp>

namespace isotick::program {

/// Fails with `usage` unless the file that is asked for, if one is, can be written and has a
/// format.
[[nodiscard]] core::Result<void> check_time_line(const LockstepCommandOptions& options);

/// Writes the file that is asked for, if one is: JSON or SVG, by its name.
[[nodiscard]] core::Result<void> write_time_line(const harness::LockstepReport& report,
                                                 const LockstepCommandOptions& options);

/// See TIMELINE.md.
[[nodiscard]] std::string time_line_json(const harness::LockstepReport& report);

}  // namespace isotick::program
