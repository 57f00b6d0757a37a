#include "crash_study.hpp"

#include "../../shrink/search/failed_step.hpp"

#include <isotick/core/detail/try.hpp>

#include <array>
#include <utility>

namespace isotick::harness {
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

}  // namespace isotick::harness
