#pragma once
// Where in the source the difference of a failing build comes from, where the user says how it is
// built: the commit, or the source file and function that other flags change.

#include "../bisect/build/build_options.hpp"
#include "../bisect/commits/commits_options.hpp"
#include "why_page.hpp"

namespace isotick::program {

/// What was found.
struct Origin {
    std::vector<Finding> findings;
    std::string details;  ///< the rows of the reports, which others may get to see
};

/// Finds the commits from which on the recording diverges, says on stderr what is being tried, and
/// adds the answer.
[[nodiscard]] core::Result<void> add_commit(Origin& origin, const CommitsOptions& options,
                                            Console& console);

/// Likewise the source files, and their functions, that make the difference.
[[nodiscard]] core::Result<void> add_files(Origin& origin, const BuildOptions& options,
                                           Console& console);

}  // namespace isotick::program
