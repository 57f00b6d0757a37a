#pragma once
// Random numbers of the system, of the C library and of /dev/random, from one seed.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace isotick::harness::preload {

// Random numbers as the trial has them.

/// The next one; none where it is as usual.
[[nodiscard]] std::optional<std::uint64_t> next_by_chance();

/// Fills memory; false where it is as usual, and nothing was done.
bool fill_by_chance(void* memory, std::size_t size);

/// /dev/urandom and /dev/random, as a file of random bytes; -1: another path, or as usual.
[[nodiscard]] int open_random(const char* path);

/// Skips that many bytes if the call under way is left as usual.
void skip(std::size_t size);

}  // namespace isotick::harness::preload
