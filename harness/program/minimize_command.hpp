#pragma once
// `isotick minimize`.

#include "options.hpp"

#include <string>

namespace isotick::program {

/// Of one recording.
struct MinimizeOptions : VerifyCommandOptions {
    std::string output;
    bool force = false;
};

/// Verifies, shrinks what fails, and writes it. Returns the exit code to end with.
[[nodiscard]] int run_minimize_command(const MinimizeOptions& options, Console& console);

}  // namespace isotick::program
