#pragma once
// Builds revisions and holds them against the reference.

#include "../build/builder.hpp"
#include "../judge/expectation.hpp"
#include "../judge/judge.hpp"
#include "visit.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// What a search looks for in a revision.
struct Question {
    const Judge& judge;
    Expectation expectation{};            ///< empty: any divergence
    std::optional<std::uint64_t> most{};  ///< up to the state that so many ticks make; none: all
};

class Candidates {
  public:
    explicit Candidates(Builder builder) : builder_(std::move(builder)) {}

    /// Fails where no revision could be tried: the disk is full, the recording damaged.
    [[nodiscard]] core::Result<Visit> visit(const std::string& commit, const Question& question);

    [[nodiscard]] core::Result<void> build_ahead(const std::vector<std::string>& commits) {
        return builder_.build_ahead(commits);
    }

    [[nodiscard]] const Builder& builder() const { return builder_; }

  private:
    [[nodiscard]] core::Result<Build> built(const std::string& commit);

    Builder builder_;
    std::map<std::string, Build> builds_;          // by commit
    std::map<std::string, std::size_t> failures_;  // by reason
};

}  // namespace isotick::harness::bisect
