#pragma once
// How often this program has asked for memory, and how much of it it holds.

#include <cstdint>

namespace isotick::replay {

/// Calls of operator new on this thread so far.
[[nodiscard]] std::uint64_t allocations_here();

/// Begins to watch what this thread holds.
void watch_memory_here();
/// The most bytes that this thread held since then, above what it held then.
[[nodiscard]] std::uint64_t most_memory_here();

}  // namespace isotick::replay
