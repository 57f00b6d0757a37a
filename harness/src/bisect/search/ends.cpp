#include "ends.hpp"

#include "reference.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
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
