#pragma once
// What a search through commits came to, for people.

#include "../../../../src/bisect/search/bisect.hpp"
#include "commits_options.hpp"

#include <string>

namespace isotick::program {

[[nodiscard]] std::string commits_text(const harness::bisect::BisectReport& report,
                                       const CommitsOptions& options);

/// `abc1234567  good`, while the search goes on.
[[nodiscard]] std::string visit_text(const harness::bisect::Visit& visit);

/// `2 do not build, 1 nondeterministic`: what was skipped, and why.
[[nodiscard]] std::string skipped_text(const harness::bisect::Regression& regression);

}  // namespace isotick::program
