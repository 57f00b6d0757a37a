#pragma once
// Which files an object file was made of, and whether they still are what they were.

#include <isotick/core/result.hpp>

#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// The files behind the colon of a rule for make, as `-MD -MF` writes it; seen from `folder`.
[[nodiscard]] std::vector<std::string> files_of_rule(const std::string& rule,
                                                     const std::string& folder);

/// The path of the program that `word` runs: a path, or found in PATH. Empty where there is none.
[[nodiscard]] std::string program_path(const std::string& word, const std::string& folder);

/// Writes what each of the files holds, as a digest, into the file `list`.
[[nodiscard]] core::Result<void> keep_needed_files(const std::string& list,
                                                   const std::vector<std::string>& files);

/// Whether there is such a list, and all of its files hold what they did.
[[nodiscard]] bool are_as_kept(const std::string& list);

}  // namespace isotick::harness::bisect
