#pragma once
// Takes the place of the processes that simulations run in: linked instead of child_process.cpp.

#include "fuzz_target.hpp"

namespace isotick::fuzz {

/// From now on each process that is started writes `answers` to its stdout, and ends. It reads its
/// requests, whatever they are.
void set_answers(Input answers);

}  // namespace isotick::fuzz
