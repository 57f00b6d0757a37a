#pragma once
// Files that are not in a revision's tree and go over each checkout.

#include <isotick/core/result.hpp>

#include <string>

namespace isotick::harness::bisect {

/// What the folder holds, as 32 digits: paths, contents, and which files can be executed.
[[nodiscard]] core::Result<std::string> digest_of_folder(const std::string& folder);

/// Copies what `overlay` holds over `folder`, and replaces files there. Returns why it does not
/// fit, empty where it does: a file where a folder must be, or the other way about. Follows no
/// link that `folder` holds.
[[nodiscard]] core::Result<std::string> lay_over(const std::string& overlay,
                                                 const std::string& folder);

}  // namespace isotick::harness::bisect
