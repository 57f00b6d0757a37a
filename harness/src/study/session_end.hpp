#pragma once
// Where what can be read of a recording ends.

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>
#include <isotick/replay/reader.hpp>

#include <string>

namespace isotick::harness {

/// Sets the digest at the end of what can be read, from the last chunk where the file is whole, and
/// whether the recording is unfinished. Fails as the reader does.
[[nodiscard]] core::Result<void> look_at_end(const std::string& path, replay::Reader& reader,
                                             VerifyReport& report);

}  // namespace isotick::harness
