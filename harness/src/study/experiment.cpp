#include "experiment.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/detail/drive.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
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

Result<std::vector<TrialResult>> run_mixed(const std::vector<TrialPlan>& plans,
                                           const TrialRunner& run) {
    std::vector<std::size_t> order(plans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    core::Pcg32 random(plans.size());
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    }
    std::vector<TrialPlan> mixed;
    for (const std::size_t index : order) {
        mixed.push_back(plans[index]);
    }
    return run(mixed, Isolation::fresh).map([&order](std::vector<TrialResult>&& results) {
        std::vector<TrialResult> sorted(results.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            sorted[order[i]] = std::move(results[i]);
        }
        return sorted;
    });
}

Result<std::vector<FailedRuns>> Lab::count(const std::vector<Drive>& drives, std::size_t runs) {
    std::vector<FailedRuns*> counted;
    std::vector<TrialPlan> plans;
    std::vector<FailedRuns*> owners;
    for (const Drive& drive : drives) {
        FailedRuns* const known = &counted_[to_string(drive)];
        counted.push_back(known);
        TrialPlan plan = plan_;
        plan.drive = drive;
        plan.watch.reset();
        plan.dumps.clear();
        plan.keep_diverged_state = false;
        if (drive.schedule != plan_.drive.schedule) {
            plan.most_frames = 0;
        }
        for (std::size_t i = known->runs; i < runs; ++i) {
            plans.push_back(plan);
            owners.push_back(known);
        }
    }
    ISOTICK_TRY_ASSIGN(const auto results, run_mixed(plans, run_));
    for (std::size_t i = 0; i < results.size(); ++i) {
        owners[i]->failed += results[i].divergence ? 1U : 0U;
        ++owners[i]->runs;
    }
    std::vector<FailedRuns> all;
    for (const FailedRuns* one : counted) {
        all.push_back(*one);
    }
    return all;
}

Result<std::optional<Evidence>> Lab::compare(const Drive& with, const Drive& without,
                                             const std::optional<Drive>& placebo) {
    ISOTICK_TRY_ASSIGN(const auto first, count({with}, 1));
    if (first.front().failed == 0) {  // what fails now and then takes more luck than it is worth
        return std::nullopt;
    }
    for (std::size_t runs = kFirstRuns; runs <= kMostRuns; runs *= 2) {
        ISOTICK_TRY_ASSIGN(const auto both, count({with, without}, runs));
        Evidence evidence{both[0], both[1]};
        if (is_shown(evidence) && placebo) {
            ISOTICK_TRY_ASSIGN(const auto third, count({*placebo}, runs));
            evidence.placebo = third.front();
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
