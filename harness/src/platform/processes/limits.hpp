#pragma once
// What this process, and those that it starts, may use.

#include <cstdint>
#include <optional>

namespace isotick::harness {

/// Limits memory, so that who eats memory gets bad_alloc or a null pointer and the machine stays
/// usable; 0: no limit. Not with a sanitizer in this process: it reserves more addresses than any
/// limit allows.
void limit_memory(std::uint64_t bytes);

/// As limit_memory, for so much beyond what this process has, where the system tells that (Linux).
void limit_further_memory(std::uint64_t bytes);

/// Bytes; none: no limit.
[[nodiscard]] std::optional<std::uint64_t> memory_limit();

/// A crash is told, and leaves no file.
void leave_no_core_file();

}  // namespace isotick::harness
