#pragma once
// "Did you mean": the name that a misspelt one comes nearest to.

#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

/// `; did you mean X?` where one of `names` is at most a third of its letters away from `word`, by
/// letters added, left out, changed or swapped with their neighbor; empty where none is. Of several
/// at the same distance the first is taken.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& names);

}  // namespace isotick::program
