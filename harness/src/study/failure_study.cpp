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
#include <set>
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
        for (FailedTrial& failure : report_.failures) {
            if (failure.result.divergence) {
                diverged.push_back(&failure);
            }
        }
        if (diverged.empty()) {
            return study_crash(report_, options_, run_);
        }
        ISOTICK_TRY(repeat_simplest(diverged));
        ISOTICK_TRY(show_one(diverged));
        for (FailedTrial* const failure : diverged) {
            if (failure->plan.drive.axes.size() == 1 && failure->plan.drive.has_nominal_frames()) {
                judge_chance(chance_in(failure->plan, failure->result), failure->result);
            }
        }
        return {};
    }

  private:
    /// A trial of which two runs were not the same.
    struct Doubt {
        FailedTrial* failure;
        Disagreeing runs;
    };

    [[nodiscard]] auto by_rank() const {
        return [this](const FailedTrial* failure) { return rank(*failure); };
    }

    // A simulation that repeats itself nine times in ten is caught by 32 reruns 97 times in 100.
    Result<void> repeat_simplest(std::vector<FailedTrial*> failures) {
        std::ranges::sort(failures, {}, by_rank());
        failures.resize(std::min(failures.size(), kMostRepeated));
        std::vector<TrialPlan> plans;
        for (const FailedTrial* failure : failures) {
            plans.push_back(failure->plan);
        }
        ISOTICK_TRY_ASSIGN(const auto again, run_(plans, Isolation::fresh));
        for (std::size_t i = 0; i < failures.size(); ++i) {
            FailedTrial& failure = *failures[i];
            if (const TrialResult* other = find_other(failure, again[i])) {
                doubts_.push_back({&failure, {failure.plan, failure.result, *other}});
            }
        }
        return {};
    }

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

    // Where frames alone made no trial fail that has nothing else, they may make those fail that
    // have both.
    Result<void> look_for_frames(const std::vector<FailedTrial*>& diverged) {
        std::vector<const FailedTrial*> asked;
        std::vector<TrialPlan> plans;
        for (const FailedTrial* failure : diverged) {
            if (failure->plan.drive.has_nominal_frames() || asked.size() == kMostAsked) {
                continue;
            }
            if (failure->plan.drive.axes.empty()) {
                return {};
            }
            asked.push_back(failure);
            plans.push_back(failure->plan);
            plans.back().drive.axes.clear();
            plans.back().keep_diverged_state = false;
        }
        if (plans.empty()) {
            return {};
        }
        return run_(plans, Isolation::fresh).map([&](const std::vector<TrialResult>& alone) {
            for (std::size_t i = 0; i < alone.size(); ++i) {
                if (alone[i].divergence) {
                    by_frames_.insert(asked[i]);
                }
            }
        });
    }

    // The simplest that is the same every time; where there is none, the simplest.
    Result<void> show_one(std::vector<FailedTrial*> diverged) {
        ISOTICK_TRY(look_for_frames(diverged));
        std::ranges::sort(diverged, {}, by_rank());
        std::size_t tried = 0;
        for (FailedTrial* const failure : diverged) {
            if (failure->result.verdict != Verdict::diverged || ++tried > kMostConfirmed) {
                continue;
            }
            Confirmation confirmed;
            ISOTICK_TRY(confirm(*failure, confirmed));
            const auto& runs = confirmed.disagreeing;
            if (runs && is_plain(runs->plan)) {  // then nothing else is certain
                std::string reason = std::move(failure->result.reason);
                take(*failure, runs->plan, runs->first);
                failure->result.verdict = Verdict::nondeterministic;
                failure->result.reason = std::move(reason);
                return explain(*failure, confirmed);
            }
            if (failure->result.verdict == Verdict::diverged) {
                return explain(*failure, confirmed);
            }
            if (runs) {
                doubts_.insert(doubts_.begin(), {failure, *std::move(confirmed.disagreeing)});
            }
        }
        if (doubts_.empty()) {
            return {};
        }
        const auto simplest = std::ranges::min_element(
            doubts_, {}, [this](const Doubt& one) { return rank(*one.failure); });
        ISOTICK_TRY(try_plain(*simplest));
        Confirmation doubt;
        doubt.disagreeing = simplest->runs;
        return explain(*simplest->failure, doubt);
    }

    // The trial with nothing varied is shown in its place.
    static void take(FailedTrial& failure, TrialPlan plain, TrialResult result) {
        failure.plan = std::move(plain);
        failure.result = std::move(result);
        failure.shrinking.reset();
    }

    // What differs from run to run mostly does so with nothing varied, too.
    Result<void> try_plain(Doubt& doubt) {
        FailedTrial& failure = *doubt.failure;
        TrialPlan plain = failure.plan;
        plain.drive = Drive();
        plain.most_frames = 0;
        plain.keep_diverged_state = false;
        const auto step = failed_step(failure.result);
        if (is_plain(failure.plan) || !step) {
            return {};
        }
        TrialPlan until = plain;
        until.most_steps = step->value + 1;
        ISOTICK_TRY_ASSIGN(const auto runs,
                           run_(std::vector<TrialPlan>(kConfirmations, until), Isolation::fresh));
        const auto diverged = std::ranges::find_if(
            runs, [](const TrialResult& one) { return one.divergence.has_value(); });
        if (diverged == runs.end()) {
            return {};
        }
        take(failure, std::move(plain), *diverged);
        confirm_divergence(failure.result, nominal_, "as trial 0");
        doubt.runs = {failure.plan, failure.result, nominal_};
        return {};
    }

    // Made smaller first: what is confirmed is what is shown.
    Result<void> confirm(FailedTrial& failure, Confirmation& confirmed) {
        ISOTICK_TRY(shrink(failure, confirmed));
        if (failure.result.verdict != Verdict::diverged) {
            return {};
        }
        return harness::confirm(failure.plan, failure.result, run_, options_.explain, held())
            .map([&confirmed](Confirmation&& found) { confirmed = std::move(found); });
    }

    // Frames alone come first, then one axis alone; what fails earlier, and what memory holds
    // before what else it may show by.
    [[nodiscard]] std::array<std::uint64_t, 5> rank(const FailedTrial& failure) const {
        const Drive& drive = failure.plan.drive;
        const StateRecord& computed = failure.result.divergence->computed;
        const Axis* only = drive.axes.size() == 1 ? find_axis(drive.axes.front().axis) : nullptr;
        const bool is_alone = drive.axes.empty() || (only != nullptr && drive.has_nominal_frames());
        const bool of_memory = only != nullptr && only->of_memory;
        const std::uint64_t things = is_alone ? drive.axes.size() : 1 + drive.axes.size();
        return {by_frames_.contains(&failure) ? 0 : things, computed.ticks_done,
                of_memory ? 0U : 1U, computed.steps, failure.number};
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
            // It failed where processes are copies of one another, and not in this one.
            return try_memory(failure);
        }
        failure.shrinking = (*shrunk)->how;
        failure.plan = (*shrunk)->plan;
        failure.result = std::move(result);
        if (is_plain(failure.plan)) {  // so it is trial 0, which did not fail
            confirm_divergence(failure.result, nominal_, "as trial 0");
            confirmed.disagreeing = Disagreeing{failure.plan, failure.result, nominal_};
        }
        return moves_memory(failure.plan.drive) ? try_memory(failure) : Result<void>();
    }

    // Forked copies of a process share what its heap held before the trial. Only fresh processes
    // can tell whether an axis that also changes the heap is itself to blame.
    static bool moves_memory(const Drive& drive) {
        const Axis* only = drive.axes.size() == 1 && drive.has_nominal_frames()
                               ? find_axis(drive.axes.front().axis)
                               : nullptr;
        return only != nullptr && std::ranges::find(only->brings, "heap") != only->brings.end();
    }

    // Fresh processes in which nothing but what memory holds is another.
    Result<void> try_memory(FailedTrial& failure) {
        std::vector<TrialPlan> plans;
        for (const AxisValue& value : memory_values(failure.result.capabilities)) {
            plans.push_back(failure.plan);
            plans.back().drive = Drive();
            plans.back().drive.axes = {value};
            plans.back().most_frames = 0;
        }
        ISOTICK_TRY_ASSIGN(auto results, run_(plans, Isolation::fresh));
        const FailureClock clock(failure.plan);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (results[i].divergence && clock.when(results[i]) <= clock.until(failure.result)) {
                failure.plan = std::move(plans[i]);
                failure.result = std::move(results[i]);
                return {};
            }
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

    static constexpr std::size_t kMostRepeated = 32;
    static constexpr std::size_t kMostConfirmed = 3;
    static constexpr std::size_t kMostAsked = 4;

    VerifyReport& report_;
    const TrialResult& nominal_;
    const VerifyOptions& options_;
    const TrialRunner& run_;
    std::vector<Doubt> doubts_;
    std::set<const FailedTrial*> by_frames_;  // of mixtures, that fail without the axes
};

}  // namespace

Result<void> study_failures(VerifyReport& report, const TrialResult& nominal,
                            const VerifyOptions& options, const TrialRunner& run) {
    return FailureStudy(report, nominal, options, run).study();
}

}  // namespace isotick::harness
