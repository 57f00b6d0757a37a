#include "judge_session.hpp"
#include "peer_trials.hpp"
#include "shrink_session.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/lockstep.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kAtOnce = 4;  // sessions that are run side by side

/// All trials of one recording.
class LockstepRun {
  public:
    LockstepRun(const LockstepOptions& options, SessionSource source, LockstepReport report)
        : options_(options), source_(std::move(source)), report_(std::move(report)) {}

    Result<LockstepReport> run() {
        ISOTICK_TRY(run_offline());
        if (report_.offline.verdict != Verdict::identical) {
            report_.verdict = report_.offline.verdict;
            return std::move(report_);
        }
        const std::uint64_t trials = options_.exact ? 1 : options_.trials;
        for (std::uint64_t first = 0; first < trials; first += kAtOnce) {
            ISOTICK_TRY(run_some(first, std::min(kAtOnce, trials - first)));
            if (options_.on_progress) {
                options_.on_progress(std::min(first + kAtOnce, trials), trials);
            }
        }
        return std::move(report_);
    }

  private:
    // No network is to blame for what fails without one.
    Result<void> run_offline() {
        TrialPlan plan;
        plan.recording = source_.recording;
        plan.environment = options_.environment;
        plan.until = core::Tick{source_.inputs.ticks() - 1};
        ISOTICK_TRY_ASSIGN(auto results, source_.run({&plan, 1}, Isolation::forked));
        report_.offline = std::move(results.front());
        if (report_.offline.refused) {
            return tl::unexpected(*report_.offline.refused);
        }
        if (report_.offline.verdict == Verdict::identical && report_.head.hash_every != 1) {
            ISOTICK_TRY_ASSIGN(source_.every_hash,
                               offline_hashes(source_, {}, source_.inputs.ticks()));
        }
        return {};
    }

    Result<void> run_some(std::uint64_t first, std::uint64_t count) {
        std::vector<PeerTrials> sessions;
        for (std::uint64_t number = first; number < first + count; ++number) {
            SessionOptions how;
            how.moments = how.packets = options_.time_lines && number == 0;
            LockstepPlan plan = options_.exact ? options_.plan
                                               : draw_lockstep_plan(options_, number, report_.seed,
                                                                    source_.inputs.session_digest(),
                                                                    source_.rate, report_.ticks);
            ISOTICK_TRY_ASSIGN(auto session,
                               PeerTrials::prepare(source_, std::move(plan), number,
                                                   number == 0 ? options_.folder : "", how));
            sessions.push_back(std::move(session));
        }
        ISOTICK_TRY(run_all(sessions, source_));
        for (PeerTrials& session : sessions) {
            ISOTICK_TRY(take(session));
        }
        return {};
    }

    Result<void> take(PeerTrials& session) {
        LockstepTrial trial = session.finish();
        judge_session(trial);
        add_up(trial);
        const bool fails = trial.verdict != Verdict::identical;
        if (fails && report_.failed.empty()) {
            ISOTICK_TRY(explain_session(trial, session, source_));
        }
        ++report_.trials;
        report_.identical += fails ? 0 : 1;
        report_.verdict = graver(report_.verdict, trial.verdict);
        if (fails) {
            report_.failed.emplace_back(trial.number, trial.verdict);
        }
        if (report_.failed.size() == 1 && fails) {
            report_.shown = std::move(trial);
            return look_closer();
        }
        if (trial.number == 0) {
            report_.shown = std::move(trial);
        }
        return {};
    }

    // Makes the trial that is shown smaller, and leaves what was asked for of it.
    Result<void> look_closer() {
        if (options_.shrink_ticks) {
            ISOTICK_TRY(shrink_session(report_.shown, source_));
            report_.failed.front().second = report_.shown.verdict;
            report_.verdict = graver(report_.verdict, report_.shown.verdict);
        }
        const bool is_first = report_.shown.number == 0 && !report_.shown.shrinking;
        if (is_first || (options_.folder.empty() && !options_.time_lines)) {
            return {};
        }
        SessionOptions how;
        how.moments = how.packets = options_.time_lines;
        ISOTICK_TRY_ASSIGN(auto again,
                           PeerTrials::prepare(source_, report_.shown.plan, report_.shown.number,
                                               options_.folder, how));
        std::vector<PeerTrials> sessions;
        sessions.push_back(std::move(again));
        ISOTICK_TRY(run_all(sessions, source_));
        LockstepTrial trial = sessions.front().finish();
        report_.shown.outcomes = std::move(trial.outcomes);
        report_.shown.logged = std::move(trial.logged);
        return {};
    }

    void add_up(const LockstepTrial& trial) {
        LockstepTotals& totals = report_.totals;
        for (const PeerOutcome& outcome : trial.outcomes) {
            const PeerStatistics& counted = outcome.run.statistics;
            totals.confirmed +=
                counted.confirmed - std::min(counted.confirmed, outcome.run.course.first_tick);
            totals.steps += counted.steps;
            totals.run_again += counted.run_again;
            totals.rollbacks += counted.rollbacks;
            totals.most_back = std::max(totals.most_back, counted.most_back);
            totals.stalls += counted.stalls;
            totals.waits += counted.waits;
            totals.packets += counted.packets_sent;
            totals.bytes += counted.bytes_sent;
            totals.hashes_compared += outcome.result.statistics.hashes_compared;
        }
    }

    const LockstepOptions& options_;
    SessionSource source_;
    LockstepReport report_;
};

}  // namespace

Result<LockstepReport> run_lockstep(const std::string& recording, const LockstepOptions& options,
                                    const TrialRunner& run) {
    LockstepReport report;
    report.recording = recording;
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    report.head = reader.head();
    ISOTICK_TRY_ASSIGN(
        auto inputs,
        SessionInputs::read(recording, options.ticks == 0 ? UINT64_MAX : options.ticks));
    if (inputs.ticks() == 0) {
        return core::fail(core::ErrorCode::usage, "the recording has no ticks for peers to run");
    }
    const core::Digest digest = inputs.session_digest();
    report.ticks = inputs.ticks();
    report.seed = options.seed.value_or(core::derive_seed(0, {digest.low, digest.high}));
    SessionSource source{recording, options, run, report.head.session.rate, std::move(inputs)};
    return LockstepRun(options, std::move(source), std::move(report)).run();
}

}  // namespace isotick::harness
