#pragma once
// Letting the user end a search that he has seen enough of.

#include <functional>

namespace isotick::program {

/// Whether the user has asked, with Ctrl-C, since the first call. A second Ctrl-C ends the program,
/// as does one before the first call.
[[nodiscard]] std::function<bool()> stop_when_interrupted();

}  // namespace isotick::program
