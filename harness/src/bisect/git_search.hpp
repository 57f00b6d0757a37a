#pragma once
// git's own bisect, driven in the private clone: it chooses what is tried next, and keeps the log.

#include "history.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// What git is told of a commit, in its words; where a fix is looked for it says old and new in
/// place of good and bad.
enum class Mark { good, bad, skip };

/// Where a search starts.
struct SearchRange {
    std::string good;
    std::string bad;
    std::vector<std::string> paths{};  ///< only commits that touch these; empty: all
    bool first_parent = false;
    bool for_fix = false;  ///< what is looked for is there at the good end, and gone at the bad one
};

/// How a search stands: there is a commit to try, or an end.
struct SearchState {
    std::string candidate{};           ///< empty at the end
    std::vector<std::string> found{};  ///< at the end: one commit; several where skips hide which
};

class GitSearch {
  public:
    /// Begins a search, in place of one before.
    [[nodiscard]] static core::Result<GitSearch> start(const History& history,
                                                       const SearchRange& range);

    [[nodiscard]] const SearchState& state() const { return state_; }
    [[nodiscard]] core::Result<void> mark(const std::string& commit, Mark mark);
    /// The candidate, and those that may come next, whatever becomes of it: `count` at most.
    [[nodiscard]] core::Result<std::vector<std::string>> likely(std::size_t count) const;
    /// git's log of the search, as `git bisect replay` takes it.
    [[nodiscard]] core::Result<std::string> log() const;

  private:
    GitSearch(const History& history, const SearchRange& range)
        : history_(history), range_(range) {}
    [[nodiscard]] core::Result<std::string> middle(const std::string& bad,
                                                   const std::vector<std::string>& good) const;
    [[nodiscard]] core::Result<void> look(const GitResult& said);

    const History& history_;
    SearchRange range_;
    SearchState state_;
};

}  // namespace isotick::harness::bisect
