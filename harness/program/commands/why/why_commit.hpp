#pragma once
// The commit that a page on a failing build ends with, where the user gives its repository.

#include "../bisect/commits/commits_options.hpp"
#include "why_page.hpp"

namespace isotick::program {

/// Finds the commits from which on the recording diverges, says on stderr what is being tried, and
/// adds the answer to the page.
[[nodiscard]] core::Result<void> add_commit(WhyPage& page, const CommitsOptions& options,
                                            Console& console);

}  // namespace isotick::program
