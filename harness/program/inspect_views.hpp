#pragma once
// What inspect shows of a recording besides its summary. Both print as they read, so that memory
// does not grow with the recording, and return the exit code.

#include "options.hpp"

namespace isotick::program {

/// `--layout`: every block of the file and what its fields mean.
[[nodiscard]] int show_layout(const InspectOptions& options, Console& console);

/// `--ticks`, which must be given: one row for each tick of a range.
[[nodiscard]] int show_ticks(const InspectOptions& options, Console& console);

}  // namespace isotick::program
