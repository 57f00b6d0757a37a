#pragma once
// The folder in which a bisection keeps what it builds.

#include <isotick/core/result.hpp>

#include <string>

namespace isotick::program {

/// The folder `given` with --work, made where it is not there yet; where none is given, one in the
/// user's cache for `place`, a path: of a repository, or whatever else is built.
[[nodiscard]] core::Result<std::string> make_work_folder(const std::string& given,
                                                         const std::string& place);

}  // namespace isotick::program
