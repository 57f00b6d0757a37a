#pragma once
// Which of the lines that a commit changed makes the difference.

#include "range_search.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// Lines of a file, from 1.
struct LineRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    friend bool operator==(const LineRange&, const LineRange&) = default;
};

/// By path, in order.
using ChangedFiles = std::map<std::string, std::vector<LineRange>>;

/// What a commit changed.
struct ChangedLines {
    ChangedFiles before;  ///< lines that are no longer there, numbered as in the parent
    ChangedFiles after;   ///< lines that are new, numbered as in the commit
};

/// Out of git's text, which has no context lines. Passes over what it does not understand.
[[nodiscard]] ChangedLines changed_lines(const std::string& diff);

/// Runs the builds of `commit` and of its parent, up to the state that `most` ticks make. None
/// where the parent cannot be built or does not come to what the judge expects, where the commit
/// does, or where the writes cannot be seen.
[[nodiscard]] core::Result<std::optional<CommitWrite>> find_commit_write(Trying& trying,
                                                                         const Judge& judge,
                                                                         const std::string& commit,
                                                                         std::uint64_t most);

}  // namespace isotick::harness::bisect
