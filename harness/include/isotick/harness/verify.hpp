#pragma once
// Verify: many trials of one recording, one verdict.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/shrink.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

/// How many of the trials after trial 0 run in a freshly executed process each, the first ones:
/// what has two outcomes that processes forked from one another share is in one of them another.
inline constexpr std::uint64_t kFreshTrials = 12;

/// One machine's share of the trials: trial 0, which each share runs, and some of the others.
struct TrialShare {
    std::uint32_t number = 1;  ///< from 1 to `count`
    std::uint32_t count = 1;

    /// Whether the share has this trial. Of each `count` trials in a row it has one; which one, a
    /// hash decides, so that no share gets all the trials of a kind that comes at intervals.
    [[nodiscard]] bool has(std::uint64_t trial) const;
    friend bool operator==(const TrialShare&, const TrialShare&) = default;
};

struct VerifyOptions {
    std::uint64_t trials = 100;         ///< trial 0, the nominal one, included; at least 1
    std::optional<std::uint64_t> seed;  ///< root of all trials' seeds; by default the session's
    std::optional<core::Schedule> schedule;  ///< this one and the nominal instead of random ones
    /// The loops that the trials after trial 0 run in turn; at least one.
    std::vector<core::LoopOptions> loops{core::LoopOptions{}};
    core::Settings environment;
    std::vector<AxisValue> vary;  ///< each is tried alone, and must not matter
    /// Axes whose values are drawn; see plan_trial. Each is tried alone, however few trials there
    /// are, but under a budget or with spare_processes.
    std::vector<std::string> perturb;
    /// Checkpoints, by name, that trial 0 must pass: else nothing was proven.
    std::vector<std::string> must_reach{};
    /// Axes that apply before a process starts are drawn only for trials that run in a fresh
    /// process anyway.
    bool spare_processes = false;
    std::uint64_t most_frames = 0;  ///< per trial, see TrialPlan
    ExplainOptions explain;
    ShrinkOptions shrink;
    ProbeRunner probes;  ///< runs a quick audit beside the trials; empty: none is made
    /// Runs trials that begin in the middle of a long session; empty: all run in full.
    BurstRunner bursts;
    /// Instead of so many trials, as many as there is time for after trial 0, which ends with the
    /// first that fails.
    std::optional<std::chrono::milliseconds> budget;
    std::uint64_t at_a_time = 1;  ///< so many trials run side by side: for a budget
    /// Only these of the trials, each as it would be among all of them; not under a budget. Whether
    /// the trials could have shown anything is left to whole_of. The first share has the probes.
    std::optional<TrialShare> share{};
    bool study = true;  ///< confirm, shrink and explain failures
};

/// A session of so many ticks is long: a minute at 60 Hz.
inline constexpr std::uint64_t kLongSession = 3'600;
/// Of the trials of a long session, those behind the ones in fresh processes begin in the middle,
/// but for one in so many. They vary only such axes as can begin there.
inline constexpr std::uint64_t kOneInFull = 16;

/// A trial that did not end identical.
struct FailedTrial {
    std::uint64_t number = 0;
    TrialPlan plan;
    TrialResult result;
    std::optional<Explanation> explanation;  ///< of one divergence only
    std::optional<Shrinking> shrinking;      ///< of that one, where plan and result are shrunk
};

/// An axis whose values were drawn, and in how many trials.
struct PerturbedAxis {
    std::string axis;
    std::uint64_t trials = 0;
};

/// An axis that was asked for, and why it was not varied.
struct UnvariedAxis {
    std::string axis;
    std::string reason;
};

/// Trials that began in the middle of the session.
struct BurstCoverage {
    std::uint64_t trials = 0;   ///< that were run
    std::uint64_t ticks = 0;    ///< that they ran themselves
    std::uint64_t covered = 0;  ///< how many different ticks of the session those are
    std::uint64_t skipped = 0;  ///< that were not run: one before them had failed
    std::string why_none;       ///< why some ran in full instead; empty: none did
};

/// What a verification with a budget took.
struct SpentBudget {
    std::chrono::milliseconds asked{};
    std::chrono::milliseconds spent{};  ///< after trial 0
    /// Processor time of all trials until the first that failed, or to the end.
    std::chrono::milliseconds cpu{};
};

/// What a verdict rests on besides failures and totals.
struct VerdictGrounds {
    std::optional<TrialShare> share;     ///< only these trials were to run; none: all
    TrialStatistics nominal;             ///< of trial 0
    bool nominal_is_fresh = false;       ///< it ran in a freshly executed process
    bool has_one_schedule = false;       ///< the user gave it: frame times were not to vary
    bool inputs_mattered = true;         ///< without inputs the hashes are others
    bool loop_went_back = false;         ///< a trial went back in time by its loop
    std::vector<std::string> before;     ///< reasons against *identical*, known before any trial
    std::optional<std::string> damage;   ///< where trial 0 stopped, if the recording is damaged
    std::vector<std::string> unreached;  ///< reasons: checkpoints that trial 0 did not pass
    std::vector<std::string> read;       ///< varied settings that a trial looked at, sorted
    std::vector<std::string> unread;     ///< those that a trial did not look at, sorted
    /// Ticks, the first and the one after the last, of each trial that began in the middle,
    /// sorted.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;
};

/// One recording, verified.
struct VerifyReport {
    std::string recording;
    replay::RecordingHead head;
    core::Digest session_digest;  ///< over the session as far as the recording is intact
    core::Digest hash_digest;     ///< likewise, over the hashes
    std::uint64_t ticks = 0;      ///< of the recording; without an index, as far as trial 0 came
    bool unfinished = false;      ///< the recording has no end; see replay::unfinished_text
    std::uint64_t seed = 0;
    Verdict verdict = Verdict::identical;
    std::vector<std::string> reasons;  ///< why the verdict is not identical, beyond the failures
    std::string note;                  ///< worth knowing, decides nothing
    std::string bad_end;               ///< what a trial did after its last hash; decides nothing
    std::string nan;                   ///< where trial 0 ended with a NaN in the state; or empty
    std::vector<AxisValue> varied;     ///< what was asked for
    std::vector<PerturbedAxis> perturbed;  ///< what was drawn, in the order asked for
    std::vector<UnvariedAxis> unvaried;    ///< what could not be drawn
    std::vector<core::LoopOptions> loops;  ///< what was asked for
    std::string repro;                     ///< the recording's own failing case, which ran first
    std::uint64_t trials = 0;              ///< that were run
    std::uint64_t trials_identical = 0;
    std::vector<BlindSpot> blind_spots;  ///< what a quick audit found; decides nothing
    TrialStatistics total;               ///< over all trials; ticks per frame are the extremes
    std::optional<HostCalls> calls;      ///< that the simulation has; none where trial 0 crashed
    /// Frames reach the simulation: it is told of them, or a loop that was asked for changes dt or
    /// goes back. Where they do not, all trials are repeats, and few are run.
    bool frames_reach_it = true;
    std::uint64_t fresh_trials = 0;       ///< that ran in a freshly executed process each
    std::optional<BurstCoverage> bursts;  ///< none: the session is short, or all was to run in full
    std::optional<SpentBudget> budget;
    std::vector<FailedTrial> failures;  ///< by number
    VerdictGrounds grounds;
};

/// The plan of trial `number`: nominal for 0, then nominal with each of the varied settings in
/// turn, then drawn from a seed derived from the root seed, the session digest and the number
/// alone, with the usual settings and each of the varied ones in turn. The first of these varies no
/// axis of `perturb`, the next ones each alone, under the usual settings; the others those that are
/// drawn for them.
[[nodiscard]] TrialPlan plan_trial(const std::string& recording, std::uint64_t number,
                                   std::uint64_t root_seed, const core::Digest& session,
                                   core::TickRate rate, const VerifyOptions& options);

/// Makes a trial of a session of so many ticks begin in the middle: its frames are nominal up to a
/// drawn tick, and its own from there on, for a drawn number of ticks and up to one whose hash is
/// stored, where one in `hash_every` is. Requires a long session, and a loop that
/// can_begin_in_the_middle.
void begin_in_the_middle(TrialPlan& plan, std::uint64_t seed, std::uint64_t session_ticks,
                         std::uint32_t hash_every);

/// Whether a nominal frame of the loop is a tick, run by the thread that made the process.
[[nodiscard]] bool can_begin_in_the_middle(const core::LoopOptions& loop);

/// Verifies one recording with `run`. There are at least as many trials as it takes to run the
/// nominal schedule with each of the varied settings, which runs in a fresh process as the next
/// kFreshTrials do; and no more than those where frames do not reach the simulation and no axis is
/// drawn. Of a long session most of the others begin in the middle, in a copy of a nominal trial;
/// those that would follow one that failed are not run. Where trial 0 is identical or diverged and
/// probes are given, a quick audit looks for what hash and snapshot do not see. Trial 0 is nominal
/// and decides alone if it fails: no schedule is to blame then, and what else may be is looked
/// into. Every divergence is run again in a fresh process. Where all are the same again the
/// earliest is confirmed by several more runs, of it and of the nominal schedule, and explained;
/// else the first that was another again is. Of a damaged recording the intact ticks are verified,
/// and the verdict is at best unreadable. Fails where the recording cannot be opened or does not
/// fit the simulation.
[[nodiscard]] core::Result<VerifyReport> verify(const std::string& recording,
                                                const VerifyOptions& options,
                                                const TrialRunner& run);

/// The report in words, as the program prints it but for its options: the first trial that failed
/// (the one that is explained, if any is) as a replay of its own; then what else speaks against the
/// verdict *identical*, and the verdict.
[[nodiscard]] std::string describe(const VerifyReport& report);

}  // namespace isotick::harness
