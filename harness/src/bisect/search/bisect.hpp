#pragma once
// Finds the commits that changed what a recording comes to.

#include "../build/builder.hpp"
#include "../git/history.hpp"
#include "../judge/expectation.hpp"
#include "../judge/judge.hpp"
#include "visit.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

struct BisectPlan {
    std::string repository;
    std::string work;  ///< a folder that exists, for this repository alone
    /// Revisions, as git names them. Empty: the nearest good commit before the bad one.
    std::string good;
    std::string bad;
    bool for_fix = false;  ///< `good` is the old end, which diverges, and `bad` the new one
    bool first_parent = false;
    std::vector<std::string> accepted{};  ///< revisions whose change is meant
    std::size_t jobs = 1;                 ///< builds at a time, of revisions that may come next
    bool inputs_only = false;             ///< the good end makes the hashes, whatever is recorded
    Recipe recipe{};
    JudgeOptions judge{};
    std::optional<Expectation> expect{};           ///< none: what the bad end shows
    std::function<void(const Visit&)> on_visit{};  ///< called as soon as a revision was tried
    std::function<bool()> stop{};                  ///< asked now and then; true ends the search
};

/// One search: what was looked for, tried and found.
struct Regression {
    Expectation expected;
    bool is_fix = false;
    std::vector<CommitFacts> found;  ///< one commit; several where skipped ones hide which it is
    /// Of the commit found, or else of the nearest bad one; of a fix: of one before it.
    Visit change;
    std::vector<Visit> steps;  ///< in the order in which they were tried
    std::string log;           ///< git's, a file
};

struct BisectReport {
    CommitFacts good;
    CommitFacts bad;
    bool recorded_again = false;          ///< the hashes are those of the good end
    std::vector<Regression> regressions;  ///< none: all that diverges is accepted
    std::uint64_t builds = 0;             ///< made for this
    std::uint64_t reused = 0;             ///< that were there from another time
    std::size_t changed_files = 0;        ///< in the user's work tree, which takes no part
};

/// Both ends are checked first: the good one must come to the recorded hashes, or where those are
/// of another layout of the state, makes them again from the recorded inputs; the bad one must not
/// come to them, unless changes are accepted. Fails with `usage` where they do otherwise, or where
/// an end cannot be tried.
[[nodiscard]] core::Result<BisectReport> bisect(const BisectPlan& plan);

}  // namespace isotick::harness::bisect
