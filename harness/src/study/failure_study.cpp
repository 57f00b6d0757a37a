#include "failure_study.hpp"

#include "../axes/axes.hpp"
#include "chance.hpp"
#include "confirmation.hpp"
#include "shrink_trials.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {

// What comes after trials of which some crashed and none diverged.

/// Shrinks the schedule of the trial that crashed first, by steps; what is shown is the smaller
/// one, once a fresh process has crashed in it too.
[[nodiscard]] core::Result<void> study_crash(VerifyReport& report, const VerifyOptions& options,
                                             const TrialRunner& run);

namespace {

using core::Result;

FailedTrial* earliest_crash(VerifyReport& report) {
    FailedTrial* earliest = nullptr;
    for (FailedTrial& failure : report.failures) {
        const auto when = FailureClock(failure.plan).when(failure.result);
        if (when && failure.result.verdict == Verdict::crashed &&
            (earliest == nullptr || when < FailureClock(earliest->plan).when(earliest->result))) {
            earliest = &failure;
        }
    }
    return earliest;
}

}  // namespace

Result<void> study_crash(VerifyReport& report, const VerifyOptions& options,
                         const TrialRunner& run) {
    FailedTrial* const failure = earliest_crash(report);
    if (failure == nullptr || !options.shrink.run) {
        return {};
    }
    auto shrunk = shrink(failure->plan, failure->result, report.head.session.rate, options.shrink);
    if (!shrunk || !*shrunk) {
        return std::move(shrunk).map([](auto&&) {});
    }
    ISOTICK_TRY_ASSIGN(auto again, run(std::array{(*shrunk)->plan}, Isolation::fresh));
    failure->shrinking = (*shrunk)->how;
    TrialResult& result = again.front();
    const FailureClock clock(failure->plan);
    if (fails_alike(result, failure->result) &&
        clock.when(result) <= clock.until(failure->result)) {
        failure->plan = (*shrunk)->plan;
        failure->result = std::move(result);
    } else {
        failure->shrinking->unfinished = "in a fresh process the smaller schedule did not fail";
    }
    return {};
}

namespace {

using core::Result;

/// One report under study.
class FailureStudy {
  public:
    FailureStudy(VerifyReport& report, const TrialResult& nominal, const VerifyOptions& options,
                 const TrialRunner& run)
        : report_(report), nominal_(nominal), options_(options), run_(run) {}

    Result<void> study() {
        std::vector<FailedTrial*> diverged;
        std::vector<TrialPlan> plans;
        for (FailedTrial& failure : report_.failures) {
            if (failure.result.divergence) {
                diverged.push_back(&failure);
                plans.push_back(failure.plan);
            }
        }
        if (plans.empty()) {
            return study_crash(report_, options_, run_);
        }
        ISOTICK_TRY_ASSIGN(const auto again, run_(plans, Isolation::fresh));
        FailedTrial* doubtful = nullptr;
        Confirmation doubt;
        for (std::size_t i = 0; i < diverged.size(); ++i) {
            FailedTrial& failure = *diverged[i];
            const TrialResult* other = find_other(failure, again[i]);
            if (other != nullptr && doubtful == nullptr) {
                doubtful = &failure;
                doubt.disagreeing = Disagreeing{failure.plan, failure.result, *other};
            }
        }
        FailedTrial& first = earliest(diverged);
        const bool is_chance = order(first).front() == 0;
        if (doubtful == nullptr || (is_chance && first.result.verdict == Verdict::diverged)) {
            return study(first);
        }
        return explain(*doubtful, doubt).and_then([&] {
            return blame_certain(diverged, *doubtful);
        });
    }

  private:
    // The run of the same trial that was not the same, if one of these was: what is plain has run
    // as trial 0 too.
    [[nodiscard]] const TrialResult* find_other(FailedTrial& failure,
                                                const TrialResult& again) const {
        if (is_plain(failure.plan)) {
            confirm_divergence(failure.result, nominal_, "as trial 0");
            if (failure.result.verdict == Verdict::nondeterministic) {
                return &nominal_;
            }
        }
        confirm_divergence(failure.result, again);
        return failure.result.verdict == Verdict::nondeterministic ? &again : nullptr;
    }

    // Where nothing else is to blame for what is not the same again: an axis that another trial
    // varied alone, and with which it goes wrong each time, or what that moves along.
    Result<void> blame_certain(const std::vector<FailedTrial*>& diverged, FailedTrial& doubtful) {
        auto& provoking = doubtful.explanation->provoking_axes;
        for (const FailedTrial* other : diverged) {
            if (!provoking.empty() || other->result.verdict != Verdict::diverged ||
                other->plan.drive.axes.size() != 1 || is_plain(doubtful.plan)) {
                continue;
            }
            ISOTICK_TRY_ASSIGN(
                const auto again,
                run_(std::vector<TrialPlan>(kConfirmations, other->plan), Isolation::fresh));
            const auto diverges = [](const TrialResult& one) { return one.divergence.has_value(); };
            if (std::ranges::all_of(again, diverges)) {
                ISOTICK_TRY_ASSIGN(provoking, axes_of_often_failing(other->plan, run_));
                return {};  // none: it goes wrong without, too
            }
        }
        return {};
    }

    // All divergences were the same again so far.
    Result<void> study(FailedTrial& failure) {
        ISOTICK_TRY_ASSIGN(auto confirmed,
                           confirm(failure.plan, failure.result, run_, options_.explain, held()));
        if (failure.result.verdict == Verdict::diverged) {
            ISOTICK_TRY(shrink(failure, confirmed));
        }
        return explain(failure, confirmed);
    }

    static FailedTrial& earliest(const std::vector<FailedTrial*>& diverged) {
        FailedTrial* earliest = diverged.front();
        for (FailedTrial* const failure : diverged) {
            if (order(*failure) < order(*earliest)) {
                earliest = failure;
            }
        }
        return *earliest;
    }

    // What makes the verdict nondeterministic comes first, then the first tick that went wrong,
    // then what is easiest to look into.
    static std::array<std::uint64_t, 4> order(const FailedTrial& failure) {
        const StateRecord& computed = failure.result.divergence->computed;
        const std::vector<AxisValue>& axes = failure.plan.drive.axes;
        const Axis* only = axes.size() == 1 ? find_axis(axes.front().axis) : nullptr;
        const bool is_chance =
            only != nullptr && only->by_chance && asked_for(only->source, failure.result);
        return {is_chance ? 0U : 1U, computed.ticks_done, axes.size(), computed.steps};
    }

    [[nodiscard]] Held held() const { return {.nominal = &nominal_}; }

    // What is shown is the smaller one, once a fresh process has confirmed it.
    Result<void> shrink(FailedTrial& failure, Confirmation& confirmed) {
        if (!options_.shrink.run) {
            return {};
        }
        TrialPlan plan = failure.plan;
        plan.keep_diverged_state = false;
        auto shrunk =
            harness::shrink(plan, failure.result, report_.head.session.rate, options_.shrink);
        if (!shrunk || !*shrunk) {
            return std::move(shrunk).map([](auto&&) {});
        }
        ISOTICK_TRY_ASSIGN(auto again, run_(std::array{(*shrunk)->plan}, Isolation::fresh));
        TrialResult& result = again.front();
        const FailureClock clock(failure.plan);
        if (!result.divergence || clock.when(result) > clock.until(failure.result)) {
            failure.result.verdict = Verdict::nondeterministic;
            failure.result.reason = "a simpler schedule, " +
                                    (*shrunk)->plan.drive.schedule.to_string() +
                                    ", failed, and did not in a fresh process";
            return {};
        }
        failure.shrinking = (*shrunk)->how;
        failure.plan = (*shrunk)->plan;
        failure.result = std::move(result);
        if (is_plain(failure.plan)) {  // so it is trial 0, which did not fail
            confirm_divergence(failure.result, nominal_, "as trial 0");
            confirmed.disagreeing = Disagreeing{failure.plan, failure.result, nominal_};
        }
        return {};
    }

    Result<void> explain(FailedTrial& failure, const Confirmation& confirmed) {
        return harness::explain(failure.plan, failure.result, confirmed, run_, options_.explain)
            .map([&failure](Explanation&& explanation) {
                judge_chance(explanation.provoking_axes, failure.result);
                failure.explanation = std::move(explanation);
            });
    }

    VerifyReport& report_;
    const TrialResult& nominal_;
    const VerifyOptions& options_;
    const TrialRunner& run_;
};

}  // namespace

Result<void> study_failures(VerifyReport& report, const TrialResult& nominal,
                            const VerifyOptions& options, const TrialRunner& run) {
    return FailureStudy(report, nominal, options, run).study();
}

}  // namespace isotick::harness
