#pragma once
// A bisection of commits: its plan, its visits, its folder.

#include "../system/posix.hpp"
#include "builder.hpp"
#include "expectation.hpp"
#include "history.hpp"
#include "judge.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness::bisect {

// A revision that was tried, and what became of it.

enum class Standing {
    good,
    bad,
    another_divergence,  ///< it diverges, but not as is looked for
    not_fitting,         ///< overlay or glue do not fit its tree
    not_building,
    not_loading,
    crashing,
    nondeterministic,
    another_simulation,
    not_comparable,
};

/// `good`, `does not build` …
[[nodiscard]] const char* to_string(Standing standing);
/// Whether it says nothing of what is looked for.
[[nodiscard]] inline bool is_skipped(Standing standing) {
    return standing != Standing::good && standing != Standing::bad;
}

struct Visit {
    std::string commit;
    Standing standing = Standing::good;
    std::optional<Signature> signature{};
    FieldReport fields{};           ///< from the reference to this revision
    std::string reason{};           ///< in words, of what is skipped
    std::string log{};              ///< of its build: a file
    std::size_t same_failures = 0;  ///< for this reason, up to this; 0: it was tried before
    bool from_cache = false;        ///< it was not built for this
    bool by_fields = false;         ///< compared field by field
    std::string simulation{};       ///< its build, as --sim takes it
};

// The folder in which a bisection keeps its clone, its builds and its logs.

/// Keeps others out as long as it lives, and after this process was killed until all builds that it
/// had started are dead. Movable.
class FolderLock {
  public:
    /// Fails with `usage` where another is there already.
    [[nodiscard]] static core::Result<FolderLock> take(const std::string& folder);
    ~FolderLock();
    FolderLock(FolderLock&&) noexcept = default;
    FolderLock& operator=(FolderLock&&) = delete;

  private:
    explicit FolderLock(FileDescriptor file) : file_(std::move(file)) {}

    FileDescriptor file_;
};

/// Writes git's log of search number `number` and returns the file's path. Its comments, which
/// quote commits, are made printable.
[[nodiscard]] core::Result<std::string> keep_log(const std::string& folder, std::size_t number,
                                                 const std::string& log);

// Finds the commits that changed what a recording comes to.

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

/// The first write to the state that the build of a commit and that of its parent do not share.
struct CommitWrite {
    PartingWrite write;  ///< paths of source files are those in the repository
    /// The innermost place in its code that the commit changed: of the commit's build, where that
    /// makes the write, else of the parent's. None: the commit changed none of them.
    std::optional<CodePlace> changed{};
};

/// One search: what was looked for, tried and found.
struct Regression {
    Expectation expected;
    bool is_fix = false;
    std::vector<CommitFacts> found;  ///< one commit; several where skipped ones hide which it is
    /// Of the commit found, or else of the nearest bad one; of a fix: of one before it.
    Visit change;
    /// Of a single commit that is no fix; none: no such write is known.
    std::optional<CommitWrite> write{};
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
