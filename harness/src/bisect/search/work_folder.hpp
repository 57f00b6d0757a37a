#pragma once
// The folder in which a bisection keeps its clone, its builds and its logs.

#include "../../platform/posix.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <string>

namespace isotick::harness::bisect {

/// Keeps others out as long as the result lives. Fails with `usage` where another is there already.
[[nodiscard]] core::Result<FileDescriptor> lock_folder(const std::string& folder);

/// Writes git's log of search number `number` and returns the file's path.
[[nodiscard]] core::Result<std::string> keep_log(const std::string& folder, std::size_t number,
                                                 const std::string& log);

}  // namespace isotick::harness::bisect
