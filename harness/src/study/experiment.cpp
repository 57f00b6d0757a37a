#include "experiment.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/drive.hpp>

#include <algorithm>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

constexpr double kByChance = 1e-4;
constexpr std::size_t kFirstRuns = 8;
constexpr std::size_t kMostRuns = 32;

// The probability of so many of all failures, or more, among the runs of one kind if the failures
// were spread over all runs by chance.
double by_chance(const FailedRuns& one, const FailedRuns& other) {
    const std::uint64_t failed = one.failed + other.failed;
    const std::uint64_t runs = one.runs + other.runs;
    const auto choose = [](std::uint64_t of, std::uint64_t taken) {
        double ways = 1;
        for (std::uint64_t i = 0; i < taken; ++i) {
            ways = ways * static_cast<double>(of - i) / static_cast<double>(i + 1);
        }
        return ways;
    };
    double sum = 0;
    for (std::uint64_t k = one.failed; k <= std::min(failed, one.runs); ++k) {
        if (failed - k <= other.runs) {
            sum += choose(one.runs, k) * choose(other.runs, failed - k);
        }
    }
    return sum / choose(runs, failed);
}

}  // namespace

bool is_shown(const Evidence& evidence) {
    const auto differs = [&](const FailedRuns& from) {
        return by_chance(evidence.with, from) < kByChance;
    };
    return differs(evidence.without) && (!evidence.placebo || differs(*evidence.placebo));
}

Result<FailedRuns> Lab::count(const Drive& drive, std::size_t runs) {
    FailedRuns& counted = counted_[to_string(drive)];
    if (counted.runs >= runs) {
        return counted;
    }
    TrialPlan plan = plan_;
    plan.drive = drive;
    plan.watch.reset();
    plan.dump.reset();
    plan.keep_diverged_state = false;
    if (drive.schedule != plan_.drive.schedule) {
        plan.most_frames = 0;
    }
    const std::vector<TrialPlan> more(runs - counted.runs, plan);
    ISOTICK_TRY_ASSIGN(const auto results, run_(more, Isolation::fresh));
    for (const TrialResult& result : results) {
        counted.failed += result.divergence ? 1U : 0U;
        ++counted.runs;
    }
    return counted;
}

Result<std::optional<Evidence>> Lab::compare(const Drive& with, const Drive& without,
                                             const std::optional<Drive>& placebo) {
    ISOTICK_TRY_ASSIGN(const FailedRuns first, count(with, 1));
    if (first.failed == 0) {  // what fails now and then takes more luck than it is worth
        return std::nullopt;
    }
    for (std::size_t runs = kFirstRuns; runs <= kMostRuns; runs *= 2) {
        Evidence evidence;
        ISOTICK_TRY_ASSIGN(evidence.with, count(with, runs));
        ISOTICK_TRY_ASSIGN(evidence.without, count(without, runs));
        if (is_shown(evidence) && placebo) {
            ISOTICK_TRY_ASSIGN(evidence.placebo, count(*placebo, runs));
        }
        if (is_shown(evidence)) {
            return evidence;
        }
        const bool is_promising = 4 * evidence.with.failed > evidence.with.runs &&
                                  evidence.without.failed == 0 &&
                                  (!evidence.placebo || evidence.placebo->failed == 0);
        if (!is_promising) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
