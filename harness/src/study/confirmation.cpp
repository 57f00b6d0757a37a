#include "confirmation.hpp"

#include "../axes/axes.hpp"
#include "../system/files.hpp"
#include "cause.hpp"
#include "chance.hpp"
#include "experiment.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace isotick::harness {
// Recording a session again whose nominal replay fails.

/// What the session came to.
struct RecordedSession {
    RecordedAgain came_to = RecordedAgain::untried;
    core::StateHash hash;     ///< unless untried
    bool nominally = true;    ///< else under the schedule and loop that the recording names
    bool same_build = false;  ///< the recording names the simulation's own build
};

/// Records the session of `plan`'s recording again, with its inputs and the way it says that it was
/// driven, up to the state that diverged; where that comes to what the replay computes, again with
/// the simulation's bot, if it has one. `result` is what the replay came to; it diverged.
[[nodiscard]] core::Result<RecordedSession> record_again(const TrialPlan& plan,
                                                         const TrialResult& result,
                                                         const ExplainOptions& options);

void drive_as_noted(const core::Settings& notes, RecordPlan& plan) {
    if (const auto text = notes.find(kScheduleNote)) {
        plan.drive.schedule = core::Schedule::parse(*text).value_or(plan.drive.schedule);
    }
    if (const auto text = notes.find(kLoopNote)) {
        plan.drive.loop = core::parse_loop(*text).value_or(plan.drive.loop);
    }
}

namespace {

using core::Result;

RecordPlan plan_of(const TrialPlan& trial, const Divergence& divergence,
                   const replay::RecordingHead& head, const SharedFile& file) {
    RecordPlan plan;
    plan.path = file.path();
    plan.appearance = replay::Appearance::filled_in;
    plan.setup = setup_of(head, trial.environment);
    plan.ticks = divergence.computed.ticks_done;
    plan.inputs = InputSource::recording;
    plan.recorded_inputs = trial.recording;
    drive_as_noted(head.notes, plan);
    return plan;
}

RecordedAgain judge(const RecordResult& recorded, const Divergence& divergence) {
    if (recorded.error) {
        return RecordedAgain::untried;
    }
    return recorded.last_hash == divergence.recorded        ? RecordedAgain::as_before
           : recorded.last_hash == divergence.computed.hash ? RecordedAgain::as_replayed
                                                            : RecordedAgain::otherwise;
}

// What asks the bot may come to what only replays does not.
Result<bool> bot_comes_to(core::StateHash wanted, RecordPlan plan, const ExplainOptions& options) {
    plan.inputs = InputSource::bot;
    plan.recorded_inputs.clear();
    return options.record(plan).map([&](const RecordResult& recorded) {
        return !recorded.error && recorded.last_hash == wanted;
    });
}

}  // namespace

Result<RecordedSession> record_again(const TrialPlan& plan, const TrialResult& result,
                                     const ExplainOptions& options) {
    const Divergence& divergence = *result.divergence;
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(plan.recording));
    ISOTICK_TRY_ASSIGN(const auto file, SharedFile::make());
    RecordedSession session;
    const auto build = reader.head().notes.find(kBuildNote);
    session.same_build = build && !result.build_id.empty() && *build == result.build_id;
    if (!options.record) {
        return session;
    }
    const RecordPlan again = plan_of(plan, divergence, reader.head(), file);
    session.nominally = again.drive.schedule == core::Schedule::nominal() &&
                        again.drive.loop == core::LoopOptions();
    ISOTICK_TRY_ASSIGN(const auto recorded, options.record(again));
    session.came_to = judge(recorded, divergence);
    session.hash = recorded.last_hash;
    if (session.came_to != RecordedAgain::as_replayed) {
        return session;
    }
    return bot_comes_to(divergence.recorded, again, options).map([&session](bool comes) {
        session.came_to = comes ? RecordedAgain::as_before_by_bot : session.came_to;
        return session;
    });
}

namespace {

using core::Result;
using SystemClock = std::chrono::system_clock;

// Where runs share a process, more of them say little more.
constexpr std::size_t kFirstConfirmations = 4;
constexpr std::size_t kVaried = 2;               // with another value of an axis
constexpr std::size_t kLater = 4;                // in another second
constexpr std::size_t kEnough = 8;               // to show that something matters
constexpr std::uint64_t kConfirmedBehind = 128;  // states behind the first that diverged

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
        if (auto ran = repeat(kFirstConfirmations, held_.where);
            !ran || is_settled() || !in_processes_) {
            return ran;
        }
        if (auto ran = repeat(kConfirmations - kFirstConfirmations, held_.where);
            !ran || is_settled()) {
            return ran;
        }
        return findings_ ? look_elsewhere() : judge_nominal();
    }

    // Runs the trial that many more times, mixed with as many nominal trials unless it is nominal
    // itself, and keeps the first run that differs.
    Result<void> repeat(std::size_t times, std::string_view where) {
        std::vector<TrialPlan> plans(times, plan_);
        if (!findings_) {
            plans.insert(plans.end(), times, nominal_plan());
        }
        ISOTICK_TRY_ASSIGN(auto results, run_mixed(plans, run_));
        const auto nominal = results.begin() + static_cast<std::ptrdiff_t>(times);
        nominal_results_.insert(nominal_results_.end(), nominal, results.end());
        results.resize(times);
        for (const TrialResult& one : results) {
            take_again(one, where);
        }
        return {};
    }

    void take_again(const TrialResult& one, std::string_view where) {
        in_processes_ = one.fresh;
        confirmation_.again.failed += same(one, result_) ? 1U : 0U;
        ++confirmation_.again.runs;
        if (findings_ && in_processes_) {
            ++findings_->fresh_processes;
        }
        if (!is_settled()) {
            take_other(one, where, plan_.drive.axes);
        }
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
        const auto later = repeat(kLater, "in a fresh process, in another second,");
        if (!later || is_settled()) {
            return later;
        }
        findings_->another_second = true;
        if (auto looked = look_behind(); !looked || is_settled()) {
            return looked;
        }
        return record();
    }

    // Whether chance shows in the states behind the first that diverged. These runs are compared
    // with each other: to be looked at may change what memory holds.
    Result<void> look_behind() {
        const TrialPlan looking = looking_behind(plan_, result_, kConfirmedBehind);
        ISOTICK_TRY_ASSIGN(const auto usual,
                           run_(std::vector<TrialPlan>(kVaried, looking), Isolation::fresh));
        const auto& trace = usual.front().trace;
        if (trace.empty() || trace.front().hash != result_.divergence->computed.hash) {
            return {};
        }
        const auto values = values_elsewhere(
            [](const Axis& axis) { return axis.by_chance && !axis.source_seen_only_with_it; });
        ISOTICK_TRY_ASSIGN(const auto different, with_difference(values, looking, usual.front()));
        for (const AxisValue& tried : different) {
            ISOTICK_TRY_ASSIGN(const bool depends, depends_on(tried, looking, usual.front()));
            if (depends) {
                return {};
            }
        }
        return {};
    }

    // Of the axes that `is_wanted` takes, those that change something here.
    template <class IsWanted>
    static std::vector<AxisValue> values_elsewhere(const IsWanted& is_wanted) {
        std::vector<AxisValue> values;
        for (const Axis* axis : axes()) {
            for (const std::string_view value : axis->elsewhere) {
                AxisValue one{std::string(axis->name), std::string(value)};
                if (is_wanted(*axis) && why_not_here(one).empty()) {
                    values.push_back(std::move(one));
                }
            }
        }
        return values;
    }

    // Whether runs with that value reach different states too often for chance, and runs with its
    // placebo do not. If so, the verdict is settled.
    Result<bool> depends_on(const AxisValue& tried, const TrialPlan& looking,
                            const TrialResult& usual) {
        ISOTICK_TRY_ASSIGN(const Beside beside, run_beside(tried, looking));
        const auto is_other = [&](const TrialResult& one) { return !alike(one, usual); };
        const auto evidence = beside.evidence(is_other);
        if (!evidence || beside.without_any(is_other)) {
            return false;
        }
        result_.verdict = Verdict::nondeterministic;
        result_.reason =
            "it diverged the same way every time; later states are others in a fresh process "
            "with " +
            to_string(tried);
        const auto other = std::ranges::find_if(beside.with, is_other);
        confirmation_.disagreeing = Disagreeing{plan_, result_, *other, {tried}, evidence};
        return true;
    }

    /// As many runs with a value, without it and with its placebo.
    struct Beside {
        std::vector<TrialResult> with;
        std::vector<TrialResult> without;
        std::vector<TrialResult> placebo;

        template <class Is>
        [[nodiscard]] std::optional<Evidence> evidence(const Is& is_other) const {
            const auto count = [&](const std::vector<TrialResult>& runs) {
                return FailedRuns{static_cast<std::uint64_t>(std::ranges::count_if(runs, is_other)),
                                  runs.size()};
            };
            Evidence found{count(with), count(without)};
            if (!placebo.empty()) {
                found.placebo = count(placebo);
            }
            return is_shown(found) ? std::optional(found) : std::nullopt;
        }
        template <class Is>
        [[nodiscard]] bool without_any(const Is& is_other) const {
            return std::ranges::any_of(without, is_other);
        }
    };

    // Of those values, each tried in a few runs of the trial: those with which one differs from
    // `usual`, in the order given.
    Result<std::vector<AxisValue>> with_difference(const std::vector<AxisValue>& values,
                                                   const TrialPlan& plan,
                                                   const TrialResult& usual) {
        std::vector<TrialPlan> plans;
        for (const AxisValue& value : values) {
            plans.insert(plans.end(), kVaried, plan);
            for (TrialPlan& one : std::span(plans).last(kVaried)) {
                one.drive.axes.push_back(value);
            }
        }
        ISOTICK_TRY_ASSIGN(const auto results, run_mixed(plans, run_));
        std::vector<AxisValue> different;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto few = std::span(results).subspan(i * kVaried, kVaried);
            if (std::ranges::any_of(few,
                                    [&](const TrialResult& one) { return !alike(one, usual); })) {
                different.push_back(values[i]);
            }
        }
        return different;
    }

    // Runs the trials in mixed order. The heap gets no placebo: it is what placebos move.
    Result<Beside> run_beside(const AxisValue& tried, const TrialPlan& plan) {
        TrialPlan varied = plan;
        varied.drive.axes.push_back(tried);
        std::vector<TrialPlan> plans(kEnough, varied);
        plans.insert(plans.end(), kEnough, plan);
        if (tried.axis != kMovedByPlacebo) {
            varied.drive.axes.back() = placebo_of(tried);
            plans.insert(plans.end(), kEnough, varied);
        }
        ISOTICK_TRY_ASSIGN(const auto results, run_mixed(plans, run_));
        const auto taken = [&](std::size_t first) {
            const auto begin = results.begin() + static_cast<std::ptrdiff_t>(first * kEnough);
            return first * kEnough < results.size()
                       ? std::vector<TrialResult>(begin, begin + kEnough)
                       : std::vector<TrialResult>();
        };
        return Beside{taken(0), taken(1), taken(2)};
    }

    Result<void> vary() {
        const auto values = values_elsewhere([this](const Axis& axis) {
            return !axis.source_seen_only_with_it &&
                   why_not_varied(std::string(axis.name), result_.capabilities).empty();
        });
        ISOTICK_TRY_ASSIGN(const auto different, with_difference(values, plan_, result_));
        for (const AxisValue& value : values) {
            if (std::ranges::find(different, value) == different.end()) {
                findings_->varied.push_back(value);
            }
        }
        for (const AxisValue& value : different) {
            if (auto ran = try_with(value); !ran || is_settled()) {
                return ran;
            }
            findings_->varied.push_back(value);
        }
        return {};
    }

    // A value matters if runs with it reach different states too often for chance, and runs without
    // it or with its placebo do not.
    Result<void> try_with(const AxisValue& tried) {
        ISOTICK_TRY_ASSIGN(const Beside beside, run_beside(tried, plan_));
        for (const TrialResult& one : beside.without) {
            take_again(one, held_.where);
        }
        if (is_settled() || !takes(tried, beside)) {
            return {};
        }
        for (const AxisValue& basic : more_basic({tried}, false, result_.capabilities)) {
            if (std::ranges::find(findings_->varied, basic) != findings_->varied.end()) {
                continue;
            }
            ISOTICK_TRY_ASSIGN(const Beside more, run_beside(basic, plan_));
            if (takes(basic, more)) {
                return {};
            }
        }
        return {};
    }

    // Returns whether the value matters; if so, this settles the verdict.
    bool takes(const AxisValue& tried, const Beside& beside) {
        const auto is_other = [&](const TrialResult& one) { return !same(one, result_); };
        const auto evidence = beside.evidence(is_other);
        if (!evidence || beside.without_any(is_other)) {
            return false;
        }
        std::vector<AxisValue> axes = plan_.drive.axes;
        axes.push_back(tried);
        take_other(*std::ranges::find_if(beside.with, is_other),
                   "in a fresh process with " + to_string(tried), axes);
        if (is_settled()) {
            confirmation_.disagreeing->otherwise = evidence;
        }
        return is_settled();
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

    [[nodiscard]] TrialPlan nominal_plan() const {
        TrialPlan nominal = plan_;
        nominal.drive = {};
        nominal.watch.reset();
        nominal.dumps.clear();
        return nominal;
    }

    // What frames provoke leaves the nominal trial as it is, every time.
    Result<void> judge_nominal() {
        std::vector<TrialResult> results = nominal_results_;
        for (const TrialResult& one : results) {
            confirmation_.nominal_runs.failed += one.divergence ? 1U : 0U;
            ++confirmation_.nominal_runs.runs;
        }
        if (held_.nominal != nullptr) {
            results.insert(results.begin(), *held_.nominal);
        }
        const auto other = std::ranges::find_if(
            results, [&](const TrialResult& one) { return !same(one, results.front()); });
        if (other != results.end()) {
            take_nominal(nominal_plan(), results.front(), *other);
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
    const SystemClock::time_point began_ = SystemClock::now();
    bool in_processes_ = false;  // fresh ones, and not all in this one
    std::optional<NominalFindings> findings_;
    std::vector<TrialResult> nominal_results_;
    Confirmation confirmation_;
};

// Two runs that were not the same: where, and why.
Result<Explanation> explain_parted(const Disagreeing& two, const TrialRunner& run,
                                   const ExplainOptions& options) {
    FoundCause cause{two.again_varies, std::nullopt};
    if (cause.axes.empty()) {
        ISOTICK_TRY_ASSIGN(cause, find_cause(two.plan, two.first, run));
    }
    // With the same clock, say, the second run is another one than those without each time.
    const bool is_pinned = !cause.evidence;
    ISOTICK_TRY_ASSIGN(auto explanation,
                       explain_disagreement(two.plan, two.first, two.again, run, options,
                                            is_pinned ? cause.axes : std::vector<AxisValue>()));
    explanation.provoking_axes = std::move(cause.axes);
    explanation.evidence = cause.evidence;
    explanation.otherwise = two.otherwise;
    if (two.otherwise) {
        ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(two.plan.recording));
        const auto build = reader.head().notes.find(kBuildNote);
        explanation.same_build =
            build && !two.first.build_id.empty() && *build == two.first.build_id;
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
    ISOTICK_TRY_ASSIGN(Explanation explanation, explain(plan, result, run, options));
    explanation.nominal = confirmation.nominal;
    if (explanation.provoking_axes.empty()) {  // nor is it what it was without them
        explanation.provoking_axes = chance_in(plan, result);
    }
    if (!explanation.provoking_axes.empty()) {
        ISOTICK_TRY_ASSIGN(explanation.reads,
                           find_reads(explanation.provoking_axes, plan, result, run));
    }
    const Evidence evidence{confirmation.again, confirmation.nominal_runs};
    if (!is_plain(plan) && confirmation.nominal_runs.runs > 0 && is_shown(evidence)) {
        explanation.evidence = evidence;
    }
    return explanation;
}

}  // namespace isotick::harness
