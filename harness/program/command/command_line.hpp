#pragma once
// The command line: the table of commands, their help, and what was probably meant.

#include <isotick/core/plugin.h>

#include <span>

namespace isotick::program {

// The command line of isotick.

/// The whole of main: runs as a worker where the program was started as one; else parses the
/// arguments, runs the command over these simulations and plug-ins, and returns the exit code. A
/// program with one simulation takes that where none is named. Catches everything.
[[nodiscard]] int run_program(int argument_count, const char* const* arguments,
                              std::span<const isotick_simulation_table* const> simulations);

}  // namespace isotick::program
