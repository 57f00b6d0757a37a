#pragma once
// Messages and settings on their way across a C boundary: the seam, and the C API for games.

#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <cstdint>
#include <vector>

namespace isotick::core::detail {

/// Copies `text` into the message, cut to its capacity. Does nothing where `message` is null or
/// has no room.
void write_message(isotick_message* message, const char* text);

/// Fails where Settings::set does, and on a null key or value.
[[nodiscard]] Result<Settings> settings_from_c(const isotick_setting* entries, std::uint32_t count);

/// Points into `settings`, which must outlive it unchanged.
[[nodiscard]] std::vector<isotick_setting> settings_as_c(const Settings& settings);

}  // namespace isotick::core::detail
