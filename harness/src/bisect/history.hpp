#pragma once
// The commits of a repository, as git tells them.

#include <isotick/core/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

// The system's git, run so that nothing of the user's takes part: no configuration, no hooks, no
// filters, no questions, nothing fetched. No shell either.

/// What a call of git came to.
struct GitResult {
    int code = 0;  ///< its exit code
    std::string out;
    std::string errors;
};

class Git {
  public:
    /// Runs in `folder`, in or beside a work tree, or with `git_folder`, a repository itself.
    [[nodiscard]] static Git in_work_tree(std::string folder);
    [[nodiscard]] static Git of_repository(std::string git_folder);

    /// Asked while git runs; true kills it.
    void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }

    /// Fails where git cannot be run, or was stopped; `variables` are added to its environment.
    [[nodiscard]] core::Result<GitResult> call(
        const std::vector<std::string>& words,
        const std::vector<std::string>& variables = {}) const;

    /// What it prints, without the last line feed. Fails too where git does, as it says.
    [[nodiscard]] core::Result<std::string> ask(
        const std::vector<std::string>& words,
        const std::vector<std::string>& variables = {}) const;

  private:
    explicit Git(std::vector<std::string> place) : place_(std::move(place)) {}

    std::vector<std::string> place_;
    std::function<bool()> stop_;
};

/// The lines of `text`.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

// The history of the user's repository, read through a private clone that shares its objects. The
// repository itself is never written.

/// What people want to know of a commit.
struct CommitFacts {
    std::string hash;
    std::string author_date;  ///< ISO 8601
    std::string subject;
    std::vector<std::string> files;  ///< touched, against the first parent
};

/// Where a checkout goes, and which of its paths come from another commit.
struct CheckoutPlan {
    std::string commit;
    std::string folder;  ///< exists, and is empty
    std::string glue_from{};
    std::vector<std::string> glue{};  ///< paths
};

class History {
  public:
    /// Makes the clone in `work`, a folder that exists, or goes on with the one there. Fails with
    /// `usage` where `repository` is none, or a shallow one.
    [[nodiscard]] static core::Result<History> open(const std::string& repository,
                                                    const std::string& work,
                                                    std::function<bool()> stop);

    /// The commit that `revision` names in the user's repository. `option` is for the message.
    [[nodiscard]] core::Result<std::string> commit_of(const std::string& revision,
                                                      const std::string& option) const;

    /// Fails with `usage` where the repository is a partial clone that lacks something of `good`,
    /// `bad` or what lies between; with an empty `good`, of `bad` or what comes before it.
    [[nodiscard]] core::Result<void> check_complete(const std::string& good,
                                                    const std::string& bad) const;

    /// How many of the files in the work tree look changed; none where that is unknown.
    [[nodiscard]] std::size_t changed_files() const;

    [[nodiscard]] core::Result<CommitFacts> facts_of(const std::string& commit) const;
    /// The first parent; none of a root.
    [[nodiscard]] core::Result<std::optional<std::string>> parent_of(
        const std::string& commit) const;
    /// The commit and those before it by first parents, the newest first.
    [[nodiscard]] core::Result<std::vector<std::string>> line_to(const std::string& commit) const;
    [[nodiscard]] core::Result<bool> is_ancestor(const std::string& ancestor,
                                                 const std::string& commit) const;

    /// The difference from `parent` to `commit`, without context lines.
    [[nodiscard]] core::Result<std::string> diff(const std::string& parent,
                                                 const std::string& commit) const;

    /// What a build depends on: the trees or files of `paths` at `commit`, all where there are
    /// none.
    [[nodiscard]] core::Result<std::string> content_of(const std::string& commit,
                                                       const std::vector<std::string>& paths) const;

    /// Writes the files of a commit. False where the glue's paths cannot be taken.
    [[nodiscard]] core::Result<bool> check_out(const CheckoutPlan& plan) const;

    [[nodiscard]] const Git& clone() const { return clone_; }
    [[nodiscard]] const std::string& clone_folder() const { return clone_folder_; }

  private:
    struct Places {
        std::string repository;  // as the user names it
        std::string clone_folder;
        std::string user_index;
        bool is_partial;
    };

    History(Git user, Git clone, Places places)
        : user_(std::move(user)),
          clone_(std::move(clone)),
          repository_(std::move(places.repository)),
          clone_folder_(std::move(places.clone_folder)),
          user_index_(std::move(places.user_index)),
          is_partial_(places.is_partial) {}

    Git user_;
    Git clone_;
    std::string repository_;
    std::string clone_folder_;
    std::string user_index_;
    bool is_partial_;
};

/// The first ten digits of a commit's hash.
[[nodiscard]] std::string short_hash(const std::string& commit);

}  // namespace isotick::harness::bisect
