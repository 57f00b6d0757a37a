#pragma once
// Finds the commits that changed what a recording comes to.

#include "../build/builder.hpp"
#include "../git/history.hpp"
#include "../judge/expectation.hpp"
#include "../judge/judge.hpp"
#include "visit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

struct BisectPlan {
    std::string repository;
    std::string work;  ///< a folder that exists, for this repository alone
    std::string good;  ///< revisions, as git names them
    std::string bad;
    bool first_parent = false;
    Recipe recipe{};
    JudgeOptions judge{};
    std::optional<Expectation> expect{};           ///< none: what the bad end shows
    std::function<void(const Visit&)> on_visit{};  ///< called as soon as a revision was tried
    std::function<bool()> stop{};                  ///< asked now and then; true ends the search
};

/// One search: what was looked for, tried and found.
struct Regression {
    Expectation expected;
    std::vector<CommitFacts> found;  ///< one commit; several where skipped ones hide which it is
    Visit change;                    ///< of the commit found; of several: of the bad end
    std::vector<Visit> steps;        ///< the ends of the range first
    std::string log;                 ///< git's, a file
};

struct BisectReport {
    replay::RecordingHead head;
    CommitFacts good;
    CommitFacts bad;
    std::vector<Regression> regressions;
    std::uint64_t builds = 0;       ///< made for this
    std::uint64_t reused = 0;       ///< that were there from another time
    std::size_t changed_files = 0;  ///< in the user's work tree, which takes no part
};

/// Both ends are checked first: the good one must come to the recorded hashes, the bad one must
/// not. Fails with `usage` where they do otherwise, or where an end cannot be tried.
[[nodiscard]] core::Result<BisectReport> bisect(const BisectPlan& plan);

}  // namespace isotick::harness::bisect
