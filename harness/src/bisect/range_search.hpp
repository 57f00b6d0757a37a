#pragma once
// Searches a range of commits between good and bad ones.

#include "../system/command.hpp"
#include "bisect.hpp"
#include "builder.hpp"
#include "expectation.hpp"
#include "git_search.hpp"
#include "history.hpp"
#include "judge.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

// Builds revisions and holds them against the reference.

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

    /// The build of a commit, made only once.
    [[nodiscard]] core::Result<Build> built(const std::string& commit);

    [[nodiscard]] core::Result<void> build_ahead(const std::vector<std::string>& commits) {
        return builder_.build_ahead(commits);
    }

    [[nodiscard]] const Builder& builder() const { return builder_; }

  private:
    Builder builder_;
    std::map<std::string, Build> builds_;          // by commit
    std::map<std::string, std::size_t> failures_;  // by reason
};

// What all searches of one bisection share.

class Trying {
  public:
    Trying(const BisectPlan& plan, const History& history, Candidates candidates)
        : plan_(plan), history_(history), candidates_(std::move(candidates)) {}

    /// Fails too where the user has had enough.
    [[nodiscard]] core::Result<Visit> visit(const std::string& commit, const Question& question) {
        if (plan_.stop && plan_.stop()) {
            return interrupted();
        }
        return candidates_.visit(commit, question).map([this](Visit&& visited) {
            if (plan_.on_visit) {
                plan_.on_visit(visited);
            }
            return std::move(visited);
        });
    }

    [[nodiscard]] core::Result<Build> built(const std::string& commit) {
        return candidates_.built(commit);
    }

    /// Builds what the search is likely to come to, where several are built at a time.
    [[nodiscard]] core::Result<void> build_ahead(const GitSearch& search) {
        if (plan_.jobs < 2) {
            return {};
        }
        return search.likely(plan_.jobs).and_then([this](const std::vector<std::string>& commits) {
            return candidates_.build_ahead(commits);
        });
    }

    [[nodiscard]] const BisectPlan& plan() const { return plan_; }
    [[nodiscard]] const History& history() const { return history_; }
    [[nodiscard]] const Builder& builder() const { return candidates_.builder(); }
    /// Of the next search, from 0.
    [[nodiscard]] std::size_t next_number() { return searches_++; }

  private:
    const BisectPlan& plan_;
    const History& history_;
    Candidates candidates_;
    std::size_t searches_ = 0;
};

// Finds every regression between a good commit and a bad one: where one hides another, each gets a
// search of its own.

/// The ends of a range, both tried.
struct RangeEnds {
    Visit good;
    Visit bad;
};

class RangeSearch {
  public:
    /// All must outlive it. Looking for a fix, what diverges is the good end: git's old one.
    RangeSearch(Trying& trying, const Judge& judge, RangeEnds ends, bool for_fix)
        : trying_(trying), judge_(judge), ends_(std::move(ends)), for_fix_(for_fix) {}

    /// What `expect` says, and nothing else; without it all that there is, the earliest tick first.
    [[nodiscard]] core::Result<std::vector<Regression>> find(
        const std::optional<Expectation>& expect);

  private:
    struct Wanted {
        std::string good;
        std::string bad;
        Expectation expectation;
        std::uint64_t most;  // ticks of the states that are worth comparing
    };

    [[nodiscard]] core::Result<Regression> search(const Wanted& wanted);
    [[nodiscard]] core::Result<Visit> visit(const std::string& commit, const Question& question);
    [[nodiscard]] core::Result<void> conclude(const Wanted& wanted,
                                              const std::vector<std::string>& found,
                                              Regression& regression);
    [[nodiscard]] core::Result<void> look_behind(const Wanted& wanted,
                                                 const Regression& regression);
    [[nodiscard]] core::Result<void> look_before(const Regression& regression);
    void look_for_rest(const Wanted& wanted, const Regression& regression);
    [[nodiscard]] core::Result<void> take_unexplained();
    [[nodiscard]] bool is_explained(const Signature& signature) const;
    [[nodiscard]] Mark mark_of(Standing standing) const;

    Trying& trying_;
    const Judge& judge_;
    RangeEnds ends_;
    bool for_fix_;
    std::deque<Wanted> wanted_;
    std::vector<Regression> found_;
    std::vector<Visit> others_;  // that diverge otherwise than was looked for
};

// What revisions are held against: the recorded hashes, or those of a build that is right.

/// Records the session of `options.recording` again, from its inputs, with `build`, into a file at
/// `path`, which it replaces. Inputs age well, hashes do not: a state is soon made otherwise.
[[nodiscard]] core::Result<void> record_reference(const JudgeOptions& options,
                                                  const SimulationName& build,
                                                  const std::string& path);

// The ends of a range: are they what they are said to be?

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
