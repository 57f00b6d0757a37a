#include "confirmation.hpp"

#include "../axes/axes.hpp"
#include "chance.hpp"
#include "often_failing.hpp"
#include "record_again.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;
using Clock = std::chrono::system_clock;

// Where runs share a process, more of them say little more.
constexpr std::size_t kFirstConfirmations = 4;
constexpr std::size_t kVaried = 2;  // with another value of an axis
constexpr std::size_t kLater = 4;   // in another second

std::string outcome(const TrialResult& result) {
    return result.divergence
               ? "diverged at " + describe_state(result.divergence->computed.ticks_done)
               : "was " + std::string(to_string(result.verdict));
}

/// The search for a run that is not the same.
class Confirming {
  public:
    Confirming(const TrialPlan& plan, TrialResult& result, const TrialRunner& run,
               const ExplainOptions& options, const Held& held)
        : plan_(plan), result_(result), run_(run), options_(options), held_(held) {}

    Result<Confirmation> confirm() {
        if (is_plain(plan_)) {
            findings_.emplace();
        }
        return repeat_itself().map([this] {
            if (!is_settled()) {
                confirmation_.nominal = findings_;
            }
            return std::move(confirmation_);
        });
    }

  private:
    [[nodiscard]] bool is_settled() const { return result_.verdict != Verdict::diverged; }

    Result<void> repeat_itself() {
        if (auto ran = repeat(plan_, kFirstConfirmations, held_.where);
            !ran || is_settled() || !in_processes_) {
            return ran;
        }
        if (auto ran = repeat(plan_, kConfirmations - kFirstConfirmations, held_.where);
            !ran || is_settled()) {
            return ran;
        }
        return findings_ ? look_elsewhere() : repeat_nominal();
    }

    // Runs it so many times more, and takes the first that is not the same.
    Result<void> repeat(const TrialPlan& plan, std::size_t times, std::string_view where) {
        ISOTICK_TRY_ASSIGN(const auto again,
                           run_(std::vector<TrialPlan>(times, plan), Isolation::fresh));
        for (const TrialResult& one : again) {
            in_processes_ = one.fresh;
            if (!is_settled()) {
                take_other(one, where, plan.drive.axes);
            }
        }
        if (findings_ && in_processes_ && plan.drive == plan_.drive) {
            findings_->fresh_processes += times;
        }
        return {};
    }

    void take_other(const TrialResult& again, std::string_view where,
                    const std::vector<AxisValue>& axes) {
        confirm_divergence(result_, again, where);
        if (is_settled()) {
            const auto besides =
                axes.begin() + static_cast<std::ptrdiff_t>(plan_.drive.axes.size());
            confirmation_.disagreeing = Disagreeing{plan_, result_, again, {besides, axes.end()}};
        }
    }

    // The nominal trial fails: is it something that must not matter, or that it is recorded?
    Result<void> look_elsewhere() {
        if (auto varied = vary(); !varied || is_settled()) {
            return varied;
        }
        wait_for_another_second(began_);
        const auto later = repeat(plan_, kLater, "in a fresh process, in another second,");
        if (!later || is_settled()) {
            return later;
        }
        findings_->another_second = true;
        return record();
    }

    Result<void> vary() {
        for (const Axis* axis : axes()) {
            for (const std::string_view value : axis->elsewhere) {
                const AxisValue tried{std::string(axis->name), std::string(value)};
                if (axis->source_seen_only_with_it || !why_not_here(tried).empty()) {
                    continue;
                }
                if (auto ran = try_with(tried); !ran || is_settled()) {
                    return ran;
                }
                findings_->varied.push_back(tried);
            }
        }
        return {};
    }

    // A value is to blame where all runs with it are alike, and those without it still are.
    Result<void> try_with(const AxisValue& tried) {
        TrialPlan varied = plan_;
        varied.drive.axes.push_back(tried);
        ISOTICK_TRY_ASSIGN(const auto with,
                           run_(std::vector<TrialPlan>(kVaried, varied), Isolation::fresh));
        if (std::ranges::all_of(with, [&](const TrialResult& one) { return same(one, result_); })) {
            return {};
        }
        if (auto ran = repeat(plan_, kFirstConfirmations, held_.where); !ran || is_settled()) {
            return ran;
        }
        ISOTICK_TRY_ASSIGN(const bool innocent, differs_with_placebo(tried));
        if (innocent) {
            return {};
        }
        const bool alike = same(with.front(), with.back());
        const auto other =
            std::ranges::find_if(with, [&](const TrialResult& one) { return !same(one, result_); });
        take_other(*other, "in a fresh process with " + to_string(tried), varied.drive.axes);
        if (!alike && is_settled()) {
            confirmation_.disagreeing->again_varies.clear();
        }
        return {};
    }

    // Then the heap is to blame, which is tried by itself.
    Result<bool> differs_with_placebo(const AxisValue& tried) {
        if (tried.axis == kMovedByPlacebo) {
            return false;
        }
        TrialPlan varied = plan_;
        varied.drive.axes.push_back(placebo_of(tried));
        return run_(std::vector<TrialPlan>(kVaried, varied), Isolation::fresh)
            .map([&](const std::vector<TrialResult>& with) {
                return std::ranges::none_of(
                    with, [&](const TrialResult& one) { return same(one, result_); });
            });
    }

    Result<void> record() {
        ISOTICK_TRY_ASSIGN(auto recorded, record_again(plan_, result_, options_));
        findings_->recorded_again = recorded.came_to;
        findings_->same_build = recorded.same_build;
        if (recorded.came_to == RecordedAgain::otherwise && recorded.nominally) {
            result_.verdict = Verdict::nondeterministic;
            result_.reason =
                "it diverged the same way every time; recording again here gives another hash, " +
                to_string(recorded.hash);
        }
        return {};
    }

    // What frames provoke leaves the nominal trial as it is, every time.
    Result<void> repeat_nominal() {
        TrialPlan nominal = plan_;
        nominal.drive = {};
        nominal.watch.reset();
        nominal.dump.reset();
        ISOTICK_TRY_ASSIGN(auto results,
                           run_(std::vector<TrialPlan>(kConfirmations, nominal), Isolation::fresh));
        if (held_.nominal != nullptr) {
            results.insert(results.begin(), *held_.nominal);
        }
        const auto other = std::ranges::find_if(
            results, [&](const TrialResult& one) { return !same(one, results.front()); });
        if (other != results.end()) {
            take_nominal(nominal, results.front(), *other);
        }
        return {};
    }

    void take_nominal(const TrialPlan& nominal, const TrialResult& one, const TrialResult& other) {
        result_.verdict = Verdict::nondeterministic;
        result_.reason = "the nominal schedule " + outcome(one) + " in one process and " +
                         outcome(other) + " in another";
        if (other.divergence) {
            confirmation_.disagreeing = Disagreeing{nominal, other, one};
        } else if (one.divergence) {
            confirmation_.disagreeing = Disagreeing{nominal, one, other};
        }
    }

    const TrialPlan& plan_;
    TrialResult& result_;
    const TrialRunner& run_;
    const ExplainOptions& options_;
    const Held& held_;
    const Clock::time_point began_ = Clock::now();
    bool in_processes_ = false;  // fresh ones, and not all in this one
    std::optional<NominalFindings> findings_;
    Confirmation confirmation_;
};

// Two runs that were not the same: where, and why.
Result<Explanation> explain_parted(const Disagreeing& two, const TrialRunner& run,
                                   const ExplainOptions& options) {
    std::vector<AxisValue> provoking = two.again_varies;
    if (provoking.empty()) {
        ISOTICK_TRY_ASSIGN(provoking, find_chance(two.plan, two.first, run));
    }
    // With the same clock, say, the second run is another one than those without each time.
    ISOTICK_TRY_ASSIGN(auto explanation, explain_disagreement(two.plan, two.first, two.again, run,
                                                              options, provoking));
    if (provoking.empty() && !two.plan.drive.axes.empty()) {
        ISOTICK_TRY_ASSIGN(explanation.provoking_axes, axes_of_often_failing(two.plan, run));
    }
    ISOTICK_TRY_ASSIGN(explanation.reads,
                       find_reads(explanation.provoking_axes, two.plan, two.first, run));
    return explanation;
}

}  // namespace

bool is_plain(const TrialPlan& plan) {
    return plan.drive == Drive() && plan.inputs.empty() && !plan.hashes;
}

Result<Confirmation> confirm(const TrialPlan& plan, TrialResult& result, const TrialRunner& run,
                             const ExplainOptions& options, const Held& held) {
    return Confirming(plan, result, run, options, held).confirm();
}

Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                            const Confirmation& confirmation, const TrialRunner& run,
                            const ExplainOptions& options) {
    if (const auto& two = confirmation.disagreeing) {
        return explain_parted(*two, run, options);
    }
    if (result.verdict == Verdict::nondeterministic) {
        return from_divergence(result);
    }
    return explain(plan, result, run, options).map([&](Explanation&& explanation) {
        explanation.nominal = confirmation.nominal;
        if (explanation.provoking_axes.empty()) {  // nor is it what it was without them
            explanation.provoking_axes = chance_in(plan, result);
        }
        explanation.reads = reads_of(explanation.provoking_axes, result);
        return std::move(explanation);
    });
}

}  // namespace isotick::harness
