#pragma once
// The ends of a range: are they what they are said to be?

#include "range_search.hpp"

#include <isotick/core/result.hpp>

#include <optional>
#include <string>

namespace isotick::harness::bisect {

/// Ends that were tried, and what they and all between are held against.
struct CheckedEnds {
    RangeEnds ends;
    Judge judge;
    bool recorded_again = false;
};

/// Tries both. Fails with `usage` where the good end is bad or cannot be tried, where the bad end
/// cannot be tried, or diverges otherwise than is expected. The bad end may be good.
[[nodiscard]] core::Result<CheckedEnds> check_ends(Trying& trying, const std::string& good,
                                                   const std::string& bad, bool inputs_only);

/// The same where the good end is the old one, which diverges, and the bad end the new one.
[[nodiscard]] core::Result<CheckedEnds> check_ends_of_fix(Trying& trying,
                                                          const std::string& old_end,
                                                          const std::string& new_end);

/// The nearest commit before `bad` by first parents, at 1, 2, 4, 8 … steps, that comes to the
/// recorded hashes.
[[nodiscard]] core::Result<std::string> gallop_back(Trying& trying, const std::string& bad);

}  // namespace isotick::harness::bisect
