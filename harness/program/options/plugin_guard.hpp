#pragma once
// Keeping this process alive where a plug-in may end it.

#include "../output/console.hpp"

#include <functional>

namespace isotick::program {

/// Runs `body` in a child process, its results printed there, and returns the exit code it ends
/// with; 5, with a message, where the child ends otherwise: by a signal, or by an exit that is not
/// ours.
[[nodiscard]] int run_guarded(const std::function<int()>& body, Console& console);

}  // namespace isotick::program
