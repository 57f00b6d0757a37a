#pragma once
// The first write that a commit's build makes otherwise than its parent's, and whether the commit
// changed the code that makes it.

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

/// Changed lines by path, ascending.
using ChangedFiles = std::map<std::string, std::vector<LineRange>>;

/// What a commit changed.
struct ChangedLines {
    ChangedFiles before;  ///< lines that are no longer there, numbered as in the parent
    ChangedFiles after;   ///< lines that are new, numbered as in the commit
};

/// Parses what History::diff gives. Ignores lines that it does not recognize.
[[nodiscard]] ChangedLines changed_lines(const std::string& diff);

/// The first place in `code`, whose files are named as in the repository, that is among `files`.
[[nodiscard]] std::optional<CodePlace> innermost_changed(const std::vector<CodePlace>& code,
                                                         const ChangedFiles& files);

/// Runs the builds of `commit` and of its parent, up to the state that `most` ticks make. None if
/// either build fails, if the parent's result is wrong or the commit's is right, or if the writes
/// cannot be watched.
[[nodiscard]] core::Result<std::optional<CommitWrite>> find_commit_write(Trying& trying,
                                                                         const Judge& judge,
                                                                         const std::string& commit,
                                                                         std::uint64_t most);

}  // namespace isotick::harness::bisect
