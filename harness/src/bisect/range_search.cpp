#include "range_search.hpp"

#include "bisect.hpp"
#include "commit_write.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::Result;

Standing standing_of(const Signature& signature, const Expectation& expectation) {
    switch (expectation.fits(signature)) {
        case Fit::yes:
            return Standing::bad;
        case Fit::absent:
            return Standing::good;
        case Fit::elsewhere:
        case Fit::unknown:
            break;
    }
    return Standing::another_divergence;
}

Standing standing_of(const Judgement& judgement, const Expectation& expectation) {
    switch (judgement.finding) {
        case Finding::identical:
            return Standing::good;
        case Finding::diverged:
            return standing_of(*judgement.signature, expectation);
        case Finding::nondeterministic:
            return Standing::nondeterministic;
        case Finding::crashed:
            return Standing::crashing;
        case Finding::not_loading:
            return Standing::not_loading;
        case Finding::another_simulation:
            return Standing::another_simulation;
        case Finding::not_comparable:
            break;
    }
    return Standing::not_comparable;
}

}  // namespace

const char* to_string(Standing standing) {
    switch (standing) {
        case Standing::good:
            return "good";
        case Standing::bad:
            return "bad";
        case Standing::another_divergence:
            return "diverges otherwise";
        case Standing::not_fitting:
            return "does not fit";
        case Standing::not_building:
            return "does not build";
        case Standing::not_loading:
            return "does not load";
        case Standing::crashing:
            return "crashes";
        case Standing::nondeterministic:
            return "nondeterministic";
        case Standing::another_simulation:
            return "is another simulation";
        case Standing::not_comparable:
            return "cannot be compared";
    }
    return "";
}

Result<Build> Candidates::built(const std::string& commit) {
    if (const auto known = builds_.find(commit); known != builds_.end()) {
        return known->second;
    }
    ISOTICK_TRY_ASSIGN(auto build, builder_.build(commit));
    return builds_.emplace(commit, std::move(build)).first->second;
}

Result<Visit> Candidates::visit(const std::string& commit, const Question& question) {
    const bool is_new = !builds_.contains(commit);
    ISOTICK_TRY_ASSIGN(const auto build, built(commit));
    Visit visit;
    visit.commit = commit;
    visit.log = build.folder + "/log";
    visit.from_cache = build.from_cache;
    visit.simulation = build.simulation;
    visit.reason = build.reason;
    if (build.end != BuildEnd::built) {
        visit.standing =
            build.end == BuildEnd::not_fitting ? Standing::not_fitting : Standing::not_building;
        visit.same_failures = is_new ? ++failures_[build.reason] : 0;
        return visit;
    }
    ISOTICK_TRY_ASSIGN(
        auto judged, question.judge.judge(SimulationName::chosen(build.simulation), question.most));
    visit.standing = standing_of(judged, question.expectation);
    visit.signature = std::move(judged.signature);
    visit.fields = std::move(judged.fields);
    visit.reason = std::move(judged.reason);
    visit.by_fields = judged.by_fields;
    return visit;
}

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
    if (found.size() == 1 && !for_fix_) {
        ISOTICK_TRY_ASSIGN(regression.write,
                           find_commit_write(trying_, judge_, found.front(), wanted.most));
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

using core::ErrorCode;
using core::Result;

Result<void> record_reference(const JudgeOptions& options, const SimulationName& build,
                              const std::string& path) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(options.recording));
    const replay::RecordingHead& head = reader.head();
    if (!reader.indexed_ticks()) {
        return core::fail(ErrorCode::usage, options.recording +
                                                ": is unfinished; make it whole with isotick "
                                                "repair");
    }
    RecordPlan plan;
    plan.path = path;
    plan.overwrite = true;
    plan.appearance = replay::Appearance::complete;
    plan.setup = setup_of(head, options.environment);
    plan.ticks = *reader.indexed_ticks();
    plan.inputs = InputSource::recording;
    plan.recorded_inputs = options.recording;
    plan.hash_every = head.hash_every;
    plan.parts_every = head.parts_every;
    ISOTICK_TRY_ASSIGN(const auto recorded, record_in_worker(build, plan, options.worker));
    if (!recorded.error) {
        return {};
    }
    core::Error error = *recorded.error;
    error.code = ErrorCode::usage;
    error.message = "the good end cannot play the recorded inputs: " + error.message;
    return tl::unexpected(error);
}

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

// Hashes of another layout of the state: none fits, from the first on.
bool has_other_layout(const Visit& visit) {
    return visit.standing == Standing::not_comparable ||
           (visit.standing == Standing::bad && visit.signature->ticks_done == 0);
}

Result<Judge> judge_against(JudgeOptions options, const Visit& good) {
    options.good = SimulationName::chosen(good.simulation);
    return Judge::make(std::move(options));
}

// Fails where an end that diverges does so otherwise than the user says, or cannot be tried.
Result<void> check_diverging(const char* end, const Visit& visit, const BisectPlan& plan) {
    if (visit.standing == Standing::another_divergence) {
        return core::fail(ErrorCode::usage, named(end, visit) + " diverges otherwise than " +
                                                to_string(*plan.expect) + ": at " +
                                                to_string(*visit.signature));
    }
    return is_skipped(visit.standing) ? untried(end, visit) : Result<void>();
}

Question question_of(const Judge& judge, const BisectPlan& plan) {
    return {judge, plan.expect.value_or(Expectation()),
            plan.expect ? plan.expect->ticks_done : std::nullopt};
}

// What the good end comes to becomes what all are held against.
Result<Judge> record_with(Trying& trying, const Visit& good) {
    JudgeOptions options = trying.plan().judge;
    const std::string path =
        trying.plan().work + "/reference-" + short_hash(good.commit) + ".isotick";
    ISOTICK_TRY(record_reference(options, SimulationName::chosen(good.simulation), path));
    options.recording = path;
    return judge_against(std::move(options), good);
}

Result<void> check_not_swapped(Trying& trying, const Judge& recorded, const Visit& good,
                               const std::string& bad) {
    ISOTICK_TRY_ASSIGN(const auto other, trying.visit(bad, {recorded}));
    return other.standing == Standing::good
               ? Result<void>(core::fail(
                     ErrorCode::usage,
                     named("bad", other) + " comes to the recorded hashes, and " +
                         named("good", good) +
                         " does not: they are swapped; what a fix did is found with --old and "
                         "--new"))
               : Result<void>();
}

}  // namespace

Result<CheckedEnds> check_ends(Trying& trying, const std::string& good, const std::string& bad,
                               bool inputs_only) {
    const BisectPlan& plan = trying.plan();
    ISOTICK_TRY_ASSIGN(const auto recorded, Judge::make(plan.judge));
    ISOTICK_TRY_ASSIGN(auto first, trying.visit(good, {recorded}));
    const bool again = inputs_only || has_other_layout(first);
    if (first.standing == Standing::bad && !again) {
        ISOTICK_TRY(check_not_swapped(trying, recorded, first, bad));
        return core::fail(ErrorCode::usage,
                          named("good", first) + " is bad: it diverges at " +
                              to_string(*first.signature) +
                              "; name an older one, or take it as right with --inputs-of");
    }
    if (is_skipped(first.standing) && !(again && first.standing == Standing::not_comparable)) {
        return untried("good", first);
    }
    if (again && !inputs_only) {
        ISOTICK_TRY(check_not_swapped(trying, recorded, first, bad));
    }
    ISOTICK_TRY_ASSIGN(auto judge,
                       again ? record_with(trying, first) : judge_against(plan.judge, first));
    if (again) {
        first.standing = Standing::good;
        first.signature.reset();
        first.reason.clear();
    }
    ISOTICK_TRY_ASSIGN(auto last, trying.visit(bad, question_of(judge, plan)));
    ISOTICK_TRY(check_diverging("bad", last, plan));
    return CheckedEnds{{std::move(first), std::move(last)}, std::move(judge), again};
}

Result<CheckedEnds> check_ends_of_fix(Trying& trying, const std::string& old_end,
                                      const std::string& new_end) {
    const BisectPlan& plan = trying.plan();
    ISOTICK_TRY_ASSIGN(const auto recorded, Judge::make(plan.judge));
    ISOTICK_TRY_ASSIGN(auto fixed, trying.visit(new_end, {recorded}));
    if (fixed.standing == Standing::bad) {
        return core::fail(ErrorCode::usage, named("new", fixed) + " is not fixed: it diverges at " +
                                                to_string(*fixed.signature));
    }
    if (is_skipped(fixed.standing)) {
        return untried("new", fixed);
    }
    ISOTICK_TRY_ASSIGN(auto judge, judge_against(plan.judge, fixed));
    ISOTICK_TRY_ASSIGN(auto broken, trying.visit(old_end, question_of(judge, plan)));
    ISOTICK_TRY(check_diverging("old", broken, plan));
    if (broken.standing == Standing::good) {
        return core::fail(ErrorCode::usage, named("old", broken) +
                                                " comes to the recorded hashes: there is nothing "
                                                "to fix");
    }
    return CheckedEnds{{std::move(broken), std::move(fixed)}, std::move(judge), false};
}

Result<std::string> gallop_back(Trying& trying, const std::string& bad) {
    ISOTICK_TRY_ASSIGN(const auto recorded, Judge::make(trying.plan().judge));
    ISOTICK_TRY_ASSIGN(const auto line, trying.history().line_to(bad));
    // A command that cannot build this one may build none of those before.
    ISOTICK_TRY_ASSIGN(const auto last, trying.visit(bad, {recorded}));
    if (last.standing == Standing::not_building || last.standing == Standing::not_fitting) {
        return untried("bad", last);
    }
    for (std::size_t back = 1; line.size() > 1; back *= 2) {
        const std::size_t place = std::min(back, line.size() - 1);
        ISOTICK_TRY_ASSIGN(const auto tried, trying.visit(line[place], {recorded}));
        if (tried.standing == Standing::good) {
            return line[place];
        }
        if (place + 1 == line.size()) {
            break;
        }
    }
    return core::fail(ErrorCode::usage,
                      "--good: none of the commits tried before " + short_hash(bad) +
                          " comes to the recorded hashes, back to the first; name one whose "
                          "build is right, with --inputs-of");
}

}  // namespace isotick::harness::bisect
