#pragma once
// Verify: many trials of one recording, one verdict.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/explain.hpp>
#include <isotick/harness/shrink.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/harness/trial_runner.hpp>
#include <isotick/replay/recording_head.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

struct VerifyOptions {
    std::uint64_t trials = 100;         ///< trial 0, the nominal one, included; at least 1
    std::optional<std::uint64_t> seed;  ///< root of all trials' seeds; by default the session's
    std::optional<core::Schedule> schedule;  ///< this one and the nominal instead of random ones
    /// The loops that the trials after trial 0 run in turn; at least one.
    std::vector<core::LoopOptions> loops{core::LoopOptions{}};
    core::Settings environment;
    std::vector<VariedSetting> vary;  ///< each is tried alone, and must not matter
    std::uint64_t most_frames = 0;    ///< per trial, see TrialPlan
    ExplainOptions explain;
    ShrinkOptions shrink;
    ProbeRunner probes;  ///< runs a quick audit beside the trials; empty: none is made
};

/// A trial that did not end identical.
struct FailedTrial {
    std::uint64_t number = 0;
    TrialPlan plan;
    TrialResult result;
    std::optional<Explanation> explanation;  ///< of one divergence only
    std::optional<Shrinking> shrinking;      ///< of that one, where plan and result are shrunk
};

/// One recording, verified.
struct VerifyReport {
    std::string recording;
    replay::RecordingHead head;
    core::Digest session_digest;  ///< over the session as far as the recording is intact
    std::uint64_t ticks = 0;      ///< of the recording; without an index, as far as trial 0 came
    bool unfinished = false;      ///< the recording has no end; see replay::unfinished_text
    std::uint64_t seed = 0;
    Verdict verdict = Verdict::identical;
    std::vector<std::string> reasons;   ///< why the verdict is not identical, beyond the failures
    std::string note;                   ///< worth knowing, decides nothing
    std::string nan;                    ///< where trial 0 ended with a NaN in the state; or empty
    std::vector<VariedSetting> varied;  ///< what was asked for
    std::vector<core::LoopOptions> loops;  ///< what was asked for
    std::string repro;                     ///< the recording's own failing case, which ran first
    std::uint64_t trials = 0;              ///< that were run
    std::uint64_t trials_identical = 0;
    std::vector<BlindSpot> blind_spots;  ///< what a quick audit found; decides nothing
    TrialStatistics total;               ///< over all trials; ticks per frame are the extremes
    std::vector<FailedTrial> failures;   ///< by number
};

/// The plan of trial `number`: nominal for 0, then nominal with each of the varied settings in
/// turn, then drawn from a seed derived from the root seed, the session digest and the number
/// alone, with the usual settings and each of the varied ones in turn.
[[nodiscard]] TrialPlan plan_trial(const std::string& recording, std::uint64_t number,
                                   std::uint64_t root_seed, const core::Digest& session,
                                   core::TickRate rate, const VerifyOptions& options);

/// Verifies one recording with `run`. There are at least as many trials as it takes to run the
/// nominal schedule with each of the varied settings, which runs in a fresh process; where trial 0
/// is identical and probes are given, a quick audit looks for what hash and snapshot do not see.
/// Trial 0 is nominal and decides alone if it fails: then the build or the machine differs, not the
/// schedule. A trial that diverges is confirmed in a fresh process; the first confirmed one is
/// explained, or where there is none, the first that was another again. Of a damaged recording the
/// intact ticks are verified, and the verdict is at best unreadable. Fails where the recording
/// cannot be opened or does not fit the simulation.
[[nodiscard]] core::Result<VerifyReport> verify(const std::string& recording,
                                                const VerifyOptions& options,
                                                const TrialRunner& run);

}  // namespace isotick::harness
