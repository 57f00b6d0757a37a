#include "candidates.hpp"

#include <isotick/core/detail/try.hpp>

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

}  // namespace isotick::harness::bisect
