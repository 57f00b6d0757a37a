#pragma once
// The head of a recording, and the session that it identifies.

#include "bytes.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/replay/detail/recording_head.hpp>

namespace isotick::replay {

// Session info and settings to and from bytes.

/// A count (u32), then key and value of each entry as strings.
void put_settings(Bytes& out, const core::Settings& settings);

/// Reads what put_settings wrote; keys that do not ascend or break Settings' rules fail.
[[nodiscard]] core::Settings read_settings(ByteReader& in);

/// Reads canonical_bytes back. A rate that is zero or not in lowest terms fails.
[[nodiscard]] SessionInfo read_session(ByteReader& in);

}  // namespace isotick::replay
