#include "range_search.hpp"

#include "work_folder.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::Result;

constexpr std::size_t kMostRegressions = 8;

bool is_same(const Regression& a, const Regression& b) {
    return a.found.front().hash == b.found.front().hash && a.found.size() == b.found.size() &&
           a.expected.ticks_done == b.expected.ticks_done;
}

std::uint64_t tick_of(const Regression& regression) {
    return regression.change.signature ? regression.change.signature->ticks_done : 0;
}

// The names in `all` that are not in `some`.
std::vector<std::string> without_range(const std::vector<std::string>& all,
                                       const std::vector<std::string>& some) {
    std::vector<std::string> rest;
    for (const std::string& name : all) {
        if (std::ranges::find(some, name) == some.end()) {
            rest.push_back(name);
        }
    }
    return rest;
}

}  // namespace

Result<std::vector<Regression>> RangeSearch::find(const std::optional<Expectation>& expect) {
    const Visit& diverging = for_fix_ ? ends_.good : ends_.bad;
    wanted_.push_back({ends_.good.commit, ends_.bad.commit,
                       expect.value_or(Expectation::of(*diverging.signature)),
                       diverging.signature->seen_at});
    while (!wanted_.empty() && found_.size() < kMostRegressions) {
        const Wanted wanted = std::move(wanted_.front());
        wanted_.pop_front();
        ISOTICK_TRY_ASSIGN(auto regression, search(wanted));
        const bool is_known = std::ranges::any_of(
            found_, [&](const Regression& one) { return is_same(one, regression); });
        if (!is_known) {
            found_.push_back(std::move(regression));
        }
        if (!is_known && !expect && !for_fix_) {
            ISOTICK_TRY(look_behind(wanted, found_.back()));
        }
        if (wanted_.empty() && !expect && !for_fix_) {
            ISOTICK_TRY(take_unexplained());
        }
    }
    std::ranges::stable_sort(found_, {}, tick_of);
    return std::move(found_);
}

Mark RangeSearch::mark_of(Standing standing) const {
    if (is_skipped(standing)) {
        return Mark::skip;
    }
    return (standing == Standing::good) == for_fix_ ? Mark::bad : Mark::good;
}

Result<Visit> RangeSearch::visit(const std::string& commit, const Question& question) {
    ISOTICK_TRY_ASSIGN(auto visited, trying_.visit(commit, question));
    if (visited.standing == Standing::another_divergence) {
        others_.push_back(visited);
    }
    return visited;
}

Result<Regression> RangeSearch::search(const Wanted& wanted) {
    Regression regression;
    regression.expected = wanted.expectation;
    regression.is_fix = for_fix_;
    const bool whole = wanted.good == ends_.good.commit && wanted.bad == ends_.bad.commit;
    if (whole) {
        regression.steps = {ends_.good, ends_.bad};
    }
    const BisectPlan& plan = trying_.plan();
    const Question question{judge_, wanted.expectation, wanted.most};
    ISOTICK_TRY_ASSIGN(auto search, GitSearch::start(trying_.history(),
                                                     {wanted.good, wanted.bad, plan.recipe.paths,
                                                      plan.first_parent, for_fix_}));
    while (!search.state().candidate.empty()) {
        ISOTICK_TRY(trying_.build_ahead(search));
        ISOTICK_TRY_ASSIGN(auto step, visit(search.state().candidate, question));
        ISOTICK_TRY(search.mark(step.commit, mark_of(step.standing)));
        regression.steps.push_back(std::move(step));
    }
    ISOTICK_TRY_ASSIGN(const auto log, search.log());
    ISOTICK_TRY_ASSIGN(regression.log, keep_log(plan.work, trying_.next_number(), log));
    ISOTICK_TRY(conclude(wanted, search.state().found, regression));
    return regression;
}

Result<void> RangeSearch::conclude(const Wanted& wanted, const std::vector<std::string>& found,
                                   Regression& regression) {
    for (const std::string& commit : found) {
        ISOTICK_TRY_ASSIGN(auto facts, trying_.history().facts_of(commit));
        regression.found.push_back(std::move(facts));
    }
    // The last bad one tried is the nearest: the commit found, or where skipped ones hide that, the
    // next after them. What a fix mended is seen in the last old one tried.
    regression.change = for_fix_ ? ends_.good : ends_.bad;
    bool is_tried = for_fix_ || wanted.bad == ends_.bad.commit;
    for (const Visit& step : regression.steps) {
        if (step.standing == Standing::bad && step.signature) {
            regression.change = step;
            is_tried = true;
        }
    }
    if (!is_tried) {
        const Question question{judge_, wanted.expectation, wanted.most};
        ISOTICK_TRY_ASSIGN(regression.change, trying_.visit(wanted.bad, question));
    }
    return {};
}

Result<void> RangeSearch::look_behind(const Wanted& wanted, const Regression& regression) {
    if (!regression.change.signature) {
        return {};
    }
    look_for_rest(wanted, regression);
    return wanted.good == ends_.good.commit ? look_before(regression) : Result<void>();
}

// At the same tick more fields may differ at the bad end than this commit made differ.
void RangeSearch::look_for_rest(const Wanted& wanted, const Regression& regression) {
    const Signature& seen = *regression.change.signature;
    const auto rest = without_range(wanted.expectation.fields, seen.fields);
    if (!rest.empty() && seen.fields_known && regression.change.commit != wanted.bad) {
        wanted_.push_back({regression.change.commit,
                           wanted.bad,
                           {wanted.expectation.ticks_done, rest},
                           wanted.most});
    }
}

// Is the commit before good to the end of the recording, or did this one hide another? Before
// several that it may be stands the last good one tried.
Result<void> RangeSearch::look_before(const Regression& regression) {
    std::optional<std::string> parent;
    if (regression.found.size() == 1) {
        ISOTICK_TRY_ASSIGN(parent, trying_.history().parent_of(regression.found.front().hash));
    }
    for (const Visit& step : regression.steps) {
        if (regression.found.size() > 1 && step.standing == Standing::good) {
            parent = step.commit;
        }
    }
    if (!parent || *parent == ends_.good.commit) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const bool within,
                       trying_.history().is_ancestor(ends_.good.commit, *parent));
    if (!within) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto before, trying_.visit(*parent, {judge_, {}, {}}));
    if (before.standing == Standing::bad && !is_explained(*before.signature)) {
        wanted_.push_back({ends_.good.commit, *parent, Expectation::of(*before.signature),
                           before.signature->seen_at});
    }
    return {};
}

bool RangeSearch::is_explained(const Signature& signature) const {
    const auto fits = [&](const Expectation& expectation) {
        return expectation.fits(signature) == Fit::yes;
    };
    return std::ranges::any_of(found_, fits, &Regression::expected) ||
           std::ranges::any_of(wanted_, fits, &Wanted::expectation);
}

// What was met on the way and belongs to nothing that was found.
Result<void> RangeSearch::take_unexplained() {
    for (const Visit& other : std::exchange(others_, {})) {
        if (!other.signature || is_explained(*other.signature)) {
            continue;
        }
        ISOTICK_TRY_ASSIGN(const bool within,
                           trying_.history().is_ancestor(ends_.good.commit, other.commit));
        if (within) {
            wanted_.push_back({ends_.good.commit, other.commit, Expectation::of(*other.signature),
                               other.signature->seen_at});
        }
    }
    return {};
}

}  // namespace isotick::harness::bisect
