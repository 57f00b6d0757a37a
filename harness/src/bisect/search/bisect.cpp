#include "bisect.hpp"

#include "../git/git_search.hpp"
#include "candidates.hpp"
#include "work_folder.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

std::string named(const char* end, const Visit& visit) {
    return std::string("the ") + end + " end " + short_hash(visit.commit);
}

tl::unexpected<core::Error> untried(const char* end, const Visit& visit) {
    return core::fail(ErrorCode::usage, named(end, visit) + " " + to_string(visit.standing) + ": " +
                                            visit.reason + " (log: " + visit.log + ")");
}

Mark mark_of(Standing standing) {
    return standing == Standing::good  ? Mark::good
           : standing == Standing::bad ? Mark::bad
                                       : Mark::skip;
}

/// One run of `bisect commits`.
class Bisection {
  public:
    Bisection(const BisectPlan& plan, const History& history, Builder builder)
        : plan_(plan), history_(history), candidates_(std::move(builder)) {}

    Result<BisectReport> run() {
        ISOTICK_TRY_ASSIGN(const auto good, history_.commit_of(plan_.good, "--good"));
        ISOTICK_TRY_ASSIGN(const auto bad, history_.commit_of(plan_.bad, "--bad"));
        if (good == bad) {
            return core::fail(ErrorCode::usage, "--good and --bad are the same commit");
        }
        ISOTICK_TRY_ASSIGN(report_.good, history_.facts_of(good));
        ISOTICK_TRY_ASSIGN(report_.bad, history_.facts_of(bad));
        report_.changed_files = history_.changed_files();
        ISOTICK_TRY(check_good());
        ISOTICK_TRY(check_bad());
        ISOTICK_TRY(search());
        report_.builds = candidates_.builder().made();
        report_.reused = candidates_.builder().reused();
        return std::move(report_);
    }

  private:
    Result<Visit> visit(const std::string& commit, const Question& question) {
        if (plan_.stop && plan_.stop()) {
            return core::fail(ErrorCode::io, "interrupted");
        }
        auto visited = candidates_.visit(commit, question);
        if (visited && plan_.on_visit) {
            plan_.on_visit(*visited);
        }
        return visited;
    }

    Result<void> check_good() {
        ISOTICK_TRY_ASSIGN(const auto judge, Judge::make(plan_.judge));
        report_.head = judge.head();
        ISOTICK_TRY_ASSIGN(good_, visit(report_.good.hash, {judge}));
        if (good_.standing == Standing::bad) {
            return core::fail(ErrorCode::usage, named("good", good_) + " is bad: it diverges at " +
                                                    to_string(*good_.signature));
        }
        if (good_.standing != Standing::good) {
            return untried("good", good_);
        }
        JudgeOptions against_good = plan_.judge;
        against_good.good = SimulationName::chosen(good_.simulation);
        return Judge::make(std::move(against_good)).map([this](Judge&& made) {
            judge_.emplace(std::move(made));
        });
    }

    Result<void> check_bad() {
        const auto most = plan_.expect ? plan_.expect->ticks_done : std::nullopt;
        ISOTICK_TRY_ASSIGN(
            bad_, visit(report_.bad.hash, {*judge_, plan_.expect.value_or(Expectation()), most}));
        if (bad_.standing == Standing::good) {
            return core::fail(ErrorCode::usage,
                              named("bad", bad_) + " is good: it comes to the recorded hashes" +
                                  (most ? " up to the tick that is expected to differ" : ""));
        }
        if (bad_.standing == Standing::another_divergence) {
            return core::fail(ErrorCode::usage, named("bad", bad_) + " diverges otherwise than " +
                                                    to_string(*plan_.expect) + ": at " +
                                                    to_string(*bad_.signature));
        }
        return bad_.standing == Standing::bad ? Result<void>() : untried("bad", bad_);
    }

    Result<void> search() {
        Regression regression;
        regression.expected = plan_.expect.value_or(Expectation::of(*bad_.signature));
        regression.steps = {good_, bad_};
        const Question question{*judge_, regression.expected, bad_.signature->seen_at};
        ISOTICK_TRY_ASSIGN(
            auto search, GitSearch::start(history_, {good_.commit, bad_.commit, plan_.recipe.paths,
                                                     plan_.first_parent}));
        while (!search.state().candidate.empty()) {
            ISOTICK_TRY_ASSIGN(auto step, visit(search.state().candidate, question));
            ISOTICK_TRY(search.mark(step.commit, mark_of(step.standing)));
            regression.steps.push_back(std::move(step));
        }
        ISOTICK_TRY_ASSIGN(const auto log, search.log());
        ISOTICK_TRY_ASSIGN(regression.log, keep_log(plan_.work, report_.regressions.size(), log));
        return conclude(search.state().found, std::move(regression));
    }

    Result<void> conclude(const std::vector<std::string>& found, Regression regression) {
        for (const std::string& commit : found) {
            ISOTICK_TRY_ASSIGN(auto facts, history_.facts_of(commit));
            regression.found.push_back(std::move(facts));
        }
        regression.change = bad_;
        for (const Visit& step : regression.steps) {
            if (found.size() == 1 && step.commit == found.front()) {
                regression.change = step;
            }
        }
        report_.regressions.push_back(std::move(regression));
        return {};
    }

    const BisectPlan& plan_;
    const History& history_;
    Candidates candidates_;
    BisectReport report_;
    Visit good_;
    Visit bad_;
    std::optional<Judge> judge_;  // against the good end
};

}  // namespace

Result<BisectReport> bisect(const BisectPlan& plan) {
    ISOTICK_TRY_ASSIGN(const auto lock, lock_folder(plan.work));
    ISOTICK_TRY_ASSIGN(const auto history, History::open(plan.repository, plan.work, plan.stop));
    Recipe recipe = plan.recipe;
    if (!recipe.glue.empty()) {
        ISOTICK_TRY_ASSIGN(recipe.glue_from, history.commit_of(recipe.glue_from, "--glue-from"));
    }
    ISOTICK_TRY_ASSIGN(auto builder,
                       Builder::make(history, std::move(recipe), plan.work, plan.stop));
    return Bisection(plan, history, std::move(builder)).run();
}

}  // namespace isotick::harness::bisect
