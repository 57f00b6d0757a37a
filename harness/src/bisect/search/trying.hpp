#pragma once
// What all searches of one bisection share.

#include "../git/git_search.hpp"
#include "../git/history.hpp"
#include "bisect.hpp"
#include "candidates.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <string>

namespace isotick::harness::bisect {

class Trying {
  public:
    Trying(const BisectPlan& plan, const History& history, Candidates candidates)
        : plan_(plan), history_(history), candidates_(std::move(candidates)) {}

    /// Fails too where the user has had enough.
    [[nodiscard]] core::Result<Visit> visit(const std::string& commit, const Question& question) {
        if (plan_.stop && plan_.stop()) {
            return core::fail(core::ErrorCode::io, "interrupted");
        }
        return candidates_.visit(commit, question).map([this](Visit&& visited) {
            if (plan_.on_visit) {
                plan_.on_visit(visited);
            }
            return std::move(visited);
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
