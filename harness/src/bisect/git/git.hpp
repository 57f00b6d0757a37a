#pragma once
// The system's git, run so that nothing of the user's takes part: no configuration, no hooks, no
// filters, no questions, nothing fetched. No shell either.

#include <isotick/core/result.hpp>

#include <functional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

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

}  // namespace isotick::harness::bisect
