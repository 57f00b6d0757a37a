#include "failure_study.hpp"

#include "crash_study.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

/// One report under study.
class FailureStudy {
  public:
    FailureStudy(VerifyReport& report, const VerifyOptions& options, const TrialRunner& run)
        : report_(report), options_(options), run_(run) {}

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
        const auto again = run_(plans, Isolation::fresh);
        if (!again) {
            return tl::unexpected(again.error());
        }
        for (std::size_t i = 0; i < diverged.size(); ++i) {
            confirm_divergence(diverged[i]->result, (*again)[i]);
        }
        return explain_one(diverged, *again);
    }

  private:
    // The earliest confirmed divergence, shrunk; where there is none, the first that was another
    // again.
    Result<void> explain_one(const std::vector<FailedTrial*>& diverged,
                             const std::vector<TrialResult>& again) {
        FailedTrial* const confirmed = earliest_confirmed(diverged);
        if (confirmed == nullptr) {
            return explain(*diverged.front(), again.front());
        }
        return confirm(confirmed->plan, confirmed->result, run_, kConfirmations - 1)
            .and_then([&](const std::optional<TrialResult>& other) {
                return other ? explain(*confirmed, other) : shrink(*confirmed).and_then([&] {
                    return explain(*confirmed, std::nullopt);
                });
            });
    }

    static FailedTrial* earliest_confirmed(const std::vector<FailedTrial*>& diverged) {
        FailedTrial* earliest = nullptr;
        for (FailedTrial* const failure : diverged) {
            const bool confirmed = failure->result.verdict == Verdict::diverged;
            if (confirmed && (earliest == nullptr || steps(*failure) < steps(*earliest))) {
                earliest = failure;
            }
        }
        return earliest;
    }

    static std::uint64_t steps(const FailedTrial& failure) {
        return failure.result.divergence->computed.steps;
    }

    // What is shown is the smaller one, once a fresh process has confirmed it.
    Result<void> shrink(FailedTrial& failure) {
        if (!options_.shrink.run) {
            return {};
        }
        auto shrunk = harness::shrink(failure.plan, failure.result, report_.head.session.rate,
                                      options_.shrink);
        if (!shrunk || !*shrunk) {
            return std::move(shrunk).map([](auto&&) {});
        }
        auto again = run_(std::array{(*shrunk)->plan}, Isolation::fresh);
        if (!again) {
            return tl::unexpected(again.error());
        }
        failure.shrinking = (*shrunk)->how;
        TrialResult& result = again->front();
        if (result.divergence && result.divergence->computed.steps <= steps(failure)) {
            failure.plan = (*shrunk)->plan;
            failure.result = std::move(result);
        } else {
            failure.shrinking->unfinished = "in a fresh process the smaller schedule did not fail";
        }
        return {};
    }

    // `other`: a run of this trial that was not the same.
    Result<void> explain(FailedTrial& failure, const std::optional<TrialResult>& other) {
        const ExplainOptions& how = options_.explain;
        auto explained = other
                             ? explain_disagreement(failure.plan, failure.result, *other, run_, how)
                             : harness::explain(failure.plan, failure.result, run_, how);
        return std::move(explained).map([&failure](Explanation&& explanation) {
            failure.explanation = std::move(explanation);
        });
    }

    VerifyReport& report_;
    const VerifyOptions& options_;
    const TrialRunner& run_;
};

}  // namespace

Result<void> study_failures(VerifyReport& report, const VerifyOptions& options,
                            const TrialRunner& run) {
    return FailureStudy(report, options, run).study();
}

}  // namespace isotick::harness
