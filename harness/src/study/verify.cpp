// Many trials, one verdict.

#include "../axes/axes.hpp"
#include "../run/field_watch.hpp"
#include "bursts.hpp"
#include "failure_study.hpp"
#include "later_parts.hpp"
#include "rounds.hpp"
#include "verdict_grounds.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/verify.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

// Where what can be read of a recording ends.

/// Sets the digests at the end of what can be read, from the last chunk where the file is whole,
/// and whether the recording is unfinished. Fails as the reader does.
[[nodiscard]] core::Result<void> look_at_end(const std::string& path, replay::Reader& reader,
                                             VerifyReport& report);

core::Result<void> look_at_end(const std::string& path, replay::Reader& reader,
                               VerifyReport& report) {
    if (reader.has_tail()) {
        const auto count = reader.chunk_count();
        if (count && *count > 0) {
            if (const auto last = reader.chunk(*count - 1)) {
                report.session_digest = (*last)->session_digest();
                report.hash_digest = (*last)->hash_digest();
                return {};
            }
        }
    }
    return replay::survey(path).map([&report](const replay::Survey& survey) {
        report.session_digest = survey.session_digest;
        report.hash_digest = survey.hash_digest;
        report.unfinished = survey.is_unfinished();
    });
}

namespace {

using core::ErrorCode;
using core::Result;

// So many trials at most may each leave a state.
constexpr std::uint64_t kMostKept = 256;

// So many trials that mix axes, at other values, have a beginning, too, where there is a budget.
constexpr std::uint64_t kMixedBeginnings = 48;

// Whether the schedule reaches a simulation through this loop, even if it is told of no frame.
bool lets_frames_through(const core::LoopOptions& loop) {
    return !core::info_of(loop.kind).constant_dt || loop.kind == core::LoopKind::reversible;
}

using SteadyClock = std::chrono::steady_clock;

/// One verification under way.
class Verification {
  public:
    Verification(const std::string& recording, const VerifyOptions& options, const TrialRunner& run)
        : options_(options), run_(run), tally_(report_) {
        report_.recording = recording;
        report_.varied = options.vary;
        report_.loops = options.loops;
        report_.grounds.share = options.share;
    }

    Result<VerifyReport> verify() {
        ISOTICK_TRY(open());
        ISOTICK_TRY(try_settings());
        ISOTICK_TRY(run_beginnings());
        if (!is_decided()) {
            ISOTICK_TRY(run_first_trials());
        }
        if (!failed(nominal_) || tally_.stops_at_damage(nominal_)) {
            choose_axes();
            ISOTICK_TRY(bursts_->count());
            ISOTICK_TRY(options_.budget ? spend(*options_.budget) : run_other_trials());
        }
        tally_.finish();
        if (options_.study) {
            ISOTICK_TRY(study_failures(report_, nominal_, options_, run_));
            ISOTICK_TRY(find_parts());
        }
        judge();
        ISOTICK_TRY(look_for_blind_spots());
        return std::move(report_);
    }

  private:
    Result<void> open() {
        ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(report_.recording));
        report_.head = reader.head();
        ISOTICK_TRY(look_at_end(report_.recording, reader, report_));
        indexed_ticks_ = reader.indexed_ticks();
        report_.seed = options_.seed.value_or(report_.session_digest.low);
        read_repro();
        bursts_.emplace(report_, options_, run_, tally_, indexed_ticks_);
        rounds_.emplace(
            report_, *bursts_, [this](auto numbers) { return run_in_full(numbers); },
            std::max<std::uint64_t>(options_.at_a_time, 1));
        return {};
    }

    // A case that is known to have failed comes first, unless the user chose a schedule.
    void read_repro() {
        const auto text = report_.head.notes.find(kReproNote);
        if (!text || options_.schedule) {
            return;
        }
        if (auto repro = parse_drive_of_file(*text)) {
            report_.repro = *text;
            repro_ = *std::move(repro);
        } else {
            report_.grounds.before.push_back(std::string("the recording's ") + kReproNote +
                                             " cannot be read: " + repro.error().message);
        }
    }

    [[nodiscard]] TrialPlan plan(std::uint64_t number) const {
        TrialPlan planned = plan_trial(report_.recording, number, report_.seed,
                                       report_.session_digest, report_.head.session.rate, options_);
        if (repro_ && number == options_.vary.size() + 1) {
            planned.drive = *repro_;
        }
        planned.notes_reached = number == 0 && !options_.must_reach.empty();
        planned.keep_diverged_state = options_.explain.most_fields > 0 && number < kMostKept;
        return planned;
    }

    // In a long session, of each trial that varies one thing alone, the first ticks: what goes
    // wrong does so at once more often than not.
    Result<void> run_beginnings() {
        if (!bursts_->have_beginnings()) {
            return {};
        }
        TrialPlan nominal = plan(0);
        ISOTICK_TRY_ASSIGN(auto began, bursts_->run_beginnings({&nominal, 1}));
        if (began.front().refused) {
            return {};  // as the whole trial will be
        }
        take_nominal(began.front());
        if (failed(nominal_)) {  // the whole trial may not, in another process
            bursts_->count_beginning(0, nominal, std::move(began.front()));
            return {};
        }
        choose_axes();
        const std::uint64_t alone = options_.vary.size() + 1 + options_.perturb.size();
        ISOTICK_TRY(run_beginnings(1, alone + (options_.budget ? kMixedBeginnings : 0)));
        if (is_decided()) {
            bursts_->count_beginning(0, nominal, std::move(began.front()));
        }
        return {};
    }

    // As many as run side by side, until one has decided.
    Result<void> run_beginnings(std::uint64_t first, std::uint64_t last) {
        while (first <= last && !is_decided()) {
            std::vector<std::uint64_t> numbers;
            std::vector<TrialPlan> plans;
            for (; first <= last && plans.size() < std::max<std::uint64_t>(options_.at_a_time, 1);
                 ++first) {
                if (is_to_run(first)) {
                    numbers.push_back(first);
                    plans.push_back(bursts_->beginning_of(plan(first)));
                }
            }
            if (plans.empty()) {
                break;
            }
            ISOTICK_TRY_ASSIGN(auto results, bursts_->run_beginnings(plans));
            for (std::size_t i = 0; i < plans.size(); ++i) {
                bursts_->count_beginning(numbers[i], plans[i], std::move(results[i]));
            }
        }
        return {};
    }

    // Another share's trials are run elsewhere.
    [[nodiscard]] bool is_to_run(std::uint64_t number) const {
        return !options_.share || options_.share->has(number);
    }

    // Whoever gives a budget wants the first that fails; and where trial 0 does, no other runs.
    [[nodiscard]] bool is_decided() const {
        return !report_.failures.empty() && (options_.budget || failed(nominal_));
    }

    void take_nominal(const TrialResult& nominal) {
        nominal_ = nominal;
        tally_.set_nominal(nominal_);
        report_.ticks = indexed_ticks_.value_or(nominal_.statistics.ticks);
        report_.note = nominal_.note;
        report_.calls = nominal_.calls;
        const HostCalls calls = nominal_.calls.value_or(HostCalls());
        report_.frames_reach_it = calls.begin_frame || calls.render || failed(nominal_) ||
                                  std::ranges::any_of(options_.loops, lets_frames_through);
    }

    // Trial 0 and, beside it, the nominal schedule without inputs, which must diverge.
    Result<void> run_first_trials() {
        ISOTICK_TRY_ASSIGN(const auto nans, NanWatch::make());
        std::vector<TrialPlan> plans{plan(0)};
        if (report_.head.session.players > 0 && !options_.schedule) {
            plans.push_back(plans.front());
            plans.back().inputs = without_inputs();
            plans.back().keep_diverged_state = false;
        }
        plans.front().dumps = {nans.request()};
        const SteadyClock::time_point begin = SteadyClock::now();
        ISOTICK_TRY_ASSIGN(auto results, bursts_->run_beside(plans, first_bursts()));
        took_ = SteadyClock::now() - begin;
        plans.front().dumps.clear();  // what is kept of it runs again elsewhere
        take_nominal(results.front());
        if (nominal_.refused) {
            return tl::unexpected(*nominal_.refused);
        }
        report_.nan = nans.find(nominal_);
        report_.grounds.inputs_mattered = results.size() < 2 || failed(results.back());
        tally_.count(0, plans.front(), std::move(results.front()));
        return {};
    }

    // Those that begin on the way of trial 0, which takes little longer for them.
    std::vector<std::uint64_t> first_bursts() {
        if (options_.budget) {
            return rounds_->next_bursts(*indexed_ticks_ / 4);
        }
        std::vector<std::uint64_t> numbers;
        for (std::uint64_t number = 1; number < options_.trials; ++number) {
            if (bursts_->has(number) && is_to_run(number)) {
                numbers.push_back(number);
            }
        }
        return numbers;
    }

    // Those that the simulation and this machine can vary.
    void choose_axes() {
        if (std::exchange(axes_are_chosen_, true)) {
            return;
        }
        std::vector<std::string> chosen;
        for (const std::string& axis : options_.perturb) {
            std::string why_not = why_not_varied(axis, nominal_.capabilities);
            if (why_not.empty()) {
                report_.perturbed.push_back({axis, 0});
                chosen.push_back(axis);
            } else {
                report_.unvaried.push_back({axis, std::move(why_not)});
            }
        }
        options_.perturb = std::move(chosen);
    }

    // Before any work: does the simulation accept them?
    Result<void> try_settings() {
        std::vector<TrialPlan> plans;
        for (std::uint64_t number = 1; number <= options_.vary.size(); ++number) {
            plans.push_back(plan(number));
            plans.back().trace = StateRange{0, 0};
        }
        if (plans.empty()) {
            return {};
        }
        return run_(plans, Isolation::forked).and_then([&](auto&& results) -> Result<void> {
            for (std::size_t i = 0; i < plans.size(); ++i) {
                if (results[i].refused) {
                    return refused_setting(plans[i].drive.axes.front(), *results[i].refused);
                }
            }
            return {};
        });
    }

    static Result<void> refused_setting(const AxisValue& setting, core::Error error) {
        error.message = to_string(setting) + ": " + error.message;
        return tl::unexpected(error);
    }

    // What no frame reaches is only repeated, unless something else is drawn for each.
    Result<void> run_other_trials() {
        const std::uint64_t settings = options_.vary.size();
        const std::uint64_t once_each = (settings + 1) * (1 + options_.loops.size());
        std::uint64_t least = options_.loops.size() > 1 ? once_each : settings + (repro_ ? 2 : 1);
        if (!options_.spare_processes && !options_.perturb.empty()) {  // each was asked for
            least = std::max(least, settings + 2 + options_.perturb.size());
        }
        const std::uint64_t wanted =
            options_.schedule ? std::max(once_each, least) : std::max(options_.trials, least);
        const std::uint64_t trials =
            trials_differ() ? wanted : std::max(std::min(wanted, fresh_end()), least);
        std::vector<std::uint64_t> numbers;
        for (std::uint64_t number = 1; number < trials; ++number) {
            if (!bursts_->has(number) && is_to_run(number)) {
                numbers.push_back(number);
            }
        }
        return run_in_full(numbers);
    }

    [[nodiscard]] bool trials_differ() const {
        return report_.frames_reach_it || !options_.perturb.empty();
    }

    // What is set when a process begins belongs to the settings, so those begin in a fresh one. So
    // do others, with address layouts of their own.
    [[nodiscard]] std::uint64_t fresh_end() const {
        return options_.vary.size() + 1 + kFreshTrials;
    }

    Result<void> spend(std::chrono::milliseconds budget) {
        const SteadyClock::time_point begin = SteadyClock::now();
        return rounds_->run(budget, took_, trials_differ() ? 0 : fresh_end()).map([&] {
            report_.budget =
                SpentBudget{budget, since(begin),
                            std::chrono::duration_cast<std::chrono::milliseconds>(rounds_->cpu())};
        });
    }

    static std::chrono::milliseconds since(SteadyClock::time_point begin) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin);
    }

    Result<void> run_in_full(std::span<const std::uint64_t> numbers) {
        const auto behind = std::ranges::lower_bound(numbers, fresh_end());
        const auto fresh = static_cast<std::size_t>(behind - numbers.begin());
        return run_trials(numbers.first(fresh), Isolation::fresh).and_then([&] {
            return run_trials(numbers.subspan(fresh), Isolation::forked);
        });
    }

    Result<void> run_trials(std::span<const std::uint64_t> numbers, Isolation isolation) {
        std::vector<TrialPlan> plans;
        for (const std::uint64_t number : numbers) {
            plans.push_back(plan(number));
        }
        if (plans.empty()) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(auto results, run_(plans, isolation));
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (results[i].refused && !take_changed_parts(results[i])) {
                return tl::unexpected(*results[i].refused);
            }
            tally_.count(numbers[i], plans[i], std::move(results[i]));
        }
        return {};
    }

    // Trial 0 had the recording's parts: a trial that has others is another each time.
    [[nodiscard]] bool take_changed_parts(TrialResult& result) const {
        if (result.part_names.empty() || result.part_names == nominal_.part_names) {
            return false;
        }
        result.verdict = Verdict::nondeterministic;
        result.reason = result.refused->message + "; as trial 0 it had the recording's";
        result.divergence.reset();  // no part of its own says more
        return true;
    }
    Result<void> look_for_blind_spots() {
        const bool crashed = failed(nominal_) && !nominal_.divergence;
        const bool is_elsewhere = options_.share && options_.share->number != 1;
        if (!options_.probes || is_elsewhere || crashed ||
            report_.verdict == Verdict::nondeterministic) {
            return {};
        }
        return quick_audit(report_.recording, options_.environment, options_.probes)
            .map(
                [this](std::vector<BlindSpot>&& found) { report_.blind_spots = std::move(found); });
    }

    // Of the failures whose differing parts no run has shown: a few stand for all.
    Result<void> find_parts() {
        constexpr int kMost = 4;
        int found = 0;
        for (FailedTrial& failure : report_.failures) {
            if (failure.result.divergence && failure.explanation && found < kMost) {
                ISOTICK_TRY(
                    find_later_parts(failure.plan, failure.result, run_, *failure.explanation));
                ISOTICK_TRY(
                    find_part_history(failure.plan, run_, options_.explain, *failure.explanation));
                found += failure.explanation->later_parts ? 1 : 0;
            }
        }
        return {};
    }

    // A session that never reaches what is to be tested proves nothing about it.
    void find_unreached() {
        const auto& reached = nominal_.reached;
        for (const std::string& name : options_.must_reach) {
            if (std::ranges::find(reached, name) == reached.end()) {
                report_.grounds.unreached.push_back("never reached '" + name + "': " +
                                                    (reached.empty()
                                                         ? "it passed no checkpoint"
                                                         : "it passed " + core::joined(reached)));
            }
        }
    }

    void judge() {
        if (tally_.stops_at_damage(nominal_)) {
            report_.grounds.damage = nominal_.reason;
        }
        report_.grounds.has_one_schedule = options_.schedule.has_value();
        find_unreached();
        judge_by_grounds(report_);
    }

    VerifyOptions options_;
    const TrialRunner& run_;
    std::optional<Drive> repro_;
    VerifyReport report_;
    TrialResult nominal_;
    std::optional<std::uint64_t> indexed_ticks_;
    bool axes_are_chosen_ = false;
    Tally tally_;
    std::optional<Bursts> bursts_;
    std::optional<Rounds> rounds_;
    SteadyClock::duration took_{};  // by the first trials
};

}  // namespace

Result<VerifyReport> verify(const std::string& recording, const VerifyOptions& options,
                            const TrialRunner& run) {
    if (options.trials == 0) {
        return core::fail(ErrorCode::usage, "zero trials prove nothing; run at least 1");
    }
    if (options.loops.empty()) {
        return core::fail(ErrorCode::usage, "there is no loop to try");
    }
    if (options.share && options.budget) {
        return core::fail(ErrorCode::usage,
                          "under a budget, time decides which trials run: they have no shares");
    }
    return Verification(recording, options, run).verify();
}

}  // namespace isotick::harness
