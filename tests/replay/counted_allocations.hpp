#pragma once
// How often this program has asked for memory.

#include <cstdint>

namespace isotick::replay {

/// Calls of operator new on this thread so far.
[[nodiscard]] std::uint64_t allocations_here();

}  // namespace isotick::replay
