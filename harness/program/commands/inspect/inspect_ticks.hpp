#pragma once
// What inspect shows of a recording besides its summary.

#include "../../options/options.hpp"

namespace isotick::program {

struct InspectOptions : CommonOptions {
    std::string recording;
    std::optional<std::string> ticks;  ///< a range of ticks to list
};

/// `--ticks`, which must be given: one row for each tick of a range. Prints as it reads, so that
/// memory does not grow with the recording, and returns the exit code.
[[nodiscard]] int show_ticks(const InspectOptions& options, Console& console);

}  // namespace isotick::program
