#pragma once
// What both sides of harness/PROTOCOL.md ask of the operating system.

#include <isotick/core/result.hpp>

#include <string_view>

namespace isotick::harness {

/// A failure of the operating system, from errno: `cannot fork: Resource temporarily unavailable`.
[[nodiscard]] tl::unexpected<core::Error> system_failure(std::string_view what);

/// Writes where the file's position is. False, with errno, where not all could be written.
[[nodiscard]] bool write_all(int file, std::string_view content);

}  // namespace isotick::harness
