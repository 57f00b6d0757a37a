#pragma once
// Lists of names in sentences, cut where they are long.

#include <isotick/core/detail/text/joined.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// `a, b, c and 4 more`, with `most` names.
[[nodiscard]] inline std::string first_names(std::vector<std::string> names, std::size_t most) {
    const std::size_t rest = names.size() - std::min(names.size(), most);
    names.resize(names.size() - rest);
    return core::joined(names) + (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

}  // namespace isotick::harness::bisect
