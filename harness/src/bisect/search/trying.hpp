#pragma once
// What all searches of one bisection share.

#include "../../platform/processes/command.hpp"
#include "../git/git_search.hpp"
#include "../git/history.hpp"
#include "bisect.hpp"
#include "candidates.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

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

}  // namespace isotick::harness::bisect
