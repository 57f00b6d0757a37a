#pragma once
// From a divergence that was seen to the tick that made it.

#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/detail/disagreement.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// How closely a divergence is looked at.
struct ExplainOptions {
    /// Fields to list, of each kind; 0: the states are not compared.
    std::size_t most_fields = 3;
    /// Runs the recorded side where that needs another build; null: the one that diverged.
    const TrialRunner* recorded_side = nullptr;
    /// The schedule that the session was recorded under, if that was not the nominal one: stands in
    /// where the nominal one does not reproduce the recording.
    std::optional<core::Schedule> recorded_schedule{};
    /// Records here, as record_in_worker does: to see whether a session whose nominal replay fails
    /// comes to the recorded hash when it is recorded again. Empty: that is not tried.
    std::function<core::Result<RecordResult>(const RecordPlan&)> record{};
    /// A part of the state whose draws to compare (see Draws), by its path; empty: none.
    std::string draws_of{};
};

/// What a session comes to that is recorded here again, up to the state that diverged.
enum class RecordedAgain {
    untried,           ///< or it failed
    as_before,         ///< the recorded hash, with the recorded inputs
    as_before_by_bot,  ///< the recorded hash, but only if the simulation's bot is asked for inputs
    as_replayed,       ///< the hash that the replay computes
    otherwise,         ///< another one
};

/// What was tried where the nominal replay fails, which no schedule is to blame for. It failed in
/// the same way wherever this says so.
struct NominalFindings {
    std::uint64_t fresh_processes = 0;  ///< in how many
    std::vector<AxisValue> varied{};    ///< with each of these values that must not matter
    bool another_second = false;        ///< in another second of the wall clock
    bool same_build = false;            ///< the recording names the simulation's own build
    RecordedAgain recorded_again = RecordedAgain::untried;
};

/// Frames in a row, equally long, that are not nominal: shorter, longer or negative.
struct OddFrames {
    std::uint64_t first = 0;  ///< number of the first, from 0
    std::uint64_t count = 0;
    core::FrameTime frame_time;  ///< of the first; the others differ by a nanosecond at most
    std::uint64_t ticks = 0;     ///< that fell into all of them together
    std::uint64_t back = 0;      ///< that they undid together
    friend bool operator==(const OddFrames&, const OddFrames&) = default;
};

/// How many of some runs failed: `7 of 8`.
struct FailedRuns {
    std::uint64_t failed = 0;
    std::uint64_t runs = 0;
    friend bool operator==(const FailedRuns&, const FailedRuns&) = default;
};

/// What a cause is stated on: runs with it, the same runs without it, and, where the thing moves
/// something else too, with a placebo of the same shape. All in fresh processes, where there are
/// such.
struct Evidence {
    FailedRuns with;
    FailedRuns without;
    std::optional<FailedRuns> placebo{};
    friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// Which parts differ at a later state, the first one there whose part hashes are stored.
struct LaterParts {
    std::uint64_t ticks_done = 0;
    std::vector<std::string> parts;  ///< at least one
    friend bool operator==(const LaterParts&, const LaterParts&) = default;
};

/// When each part differs, from a divergence on. States are numbered by the ticks that made them.
struct PartHistory {
    struct Part {
        std::string name;
        std::vector<StateRange> differs;  ///< in order; between compared states it is not known
        friend bool operator==(const Part&, const Part&) = default;
    };
    StateRange compared;      ///< the first and the last
    std::uint64_t every = 1;  ///< from one compared state to the next
    std::vector<Part> parts;  ///< some of those that differ, in the order of the state
    std::uint64_t total = 0;  ///< parts that differ
    std::uint64_t same = 0;   ///< parts that never do
    friend bool operator==(const PartHistory&, const PartHistory&) = default;
};

/// What becomes of a divergence in the states after it, as far as those were compared.
struct Impact {
    struct Fields {
        std::uint64_t ticks_done = 0;
        std::uint64_t differing = 0;
        friend bool operator==(const Fields&, const Fields&) = default;
    };
    /// Of some states: the first that differs, the last, and some between; by ticks_done.
    std::vector<Fields> fields;
    std::uint64_t last_compared = 0;  ///< ticks_done of that state
    /// From here to there, all states are the same again; none: the last differs.
    std::optional<std::uint64_t> same_from{};
    friend bool operator==(const Impact&, const Impact&) = default;
};

/// What is known about a divergence after both sides were run again up to it.
struct Explanation {
    /// The nominal schedule reproduces the recorded hashes here, so both sides can be looked at.
    bool recorded_side_runs = false;
    /// The first state that differs; earlier than the divergence where hashes are not stored for
    /// every tick. The recorded side's is what the nominal schedule computes.
    std::uint64_t ticks_done = 0;
    core::StateHash recorded;
    core::StateHash computed;
    FrameContext context;            ///< of the diverging trial at that tick
    std::vector<std::string> parts;  ///< names of those that differ, where that is known
    FieldReport fields;              ///< from the recorded to the computed state
    std::optional<Phases> phases{};  ///< where in that tick; none: it names no checkpoints
    /// The recorded schedule reproduces the recorded hashes here, and the nominal one does not.
    bool only_as_recorded = false;
    /// Those of the trial's varied axes that it needs: without them the same trial comes to the
    /// recorded hash.
    std::vector<AxisValue> provoking_axes{};
    /// What they are stated on; or, where there are none, that frames or the loop provoke it.
    std::optional<Evidence> evidence{};
    /// Instead of `evidence`, if the trial fails without these axes, too: how many runs reach a
    /// different state with them, and how many without.
    std::optional<Evidence> otherwise{};
    bool same_build = false;  ///< the recording names this build; set only with `otherwise`
    /// What the trial asked the system for, of what these axes change.
    std::vector<SystemReads> reads{};
    /// Of a nondeterministic trial: where two runs of it part. All else is what its first run left.
    std::optional<Disagreement> disagreement{};
    /// Of the nominal replay, with nothing varied.
    std::optional<NominalFindings> nominal{};
    /// Where a loop went back in time and the state was there before, as recorded: the fields are
    /// then from its first time to this one.
    std::optional<Rerun> rerun{};
    /// Where a loop goes back: ticks_done of the state before, the last that agreed.
    std::optional<std::uint64_t> last_agreed{};
    /// The frames up to that of the tick that are not nominal, in order: one of them at least
    /// provoked it, and of a shrunk schedule each is needed. None where they are too many to say.
    std::optional<std::vector<OddFrames>> provoking{};
    /// Where `parts` are not known: those of a later state.
    std::optional<LaterParts> later_parts{};
    std::optional<PartHistory> part_history{};  ///< where it was looked for
    std::optional<Impact> impact{};             ///< where it was looked for
    /// The first write of the tick that is not on both sides; none: it was not looked for.
    std::optional<PartingWrite> write{};
    std::optional<Draws> draws{};  ///< where they were asked for
};

/// Holds a diverged trial against the same trial in a fresh process, or wherever else `where` says:
/// a result that is not the same again becomes nondeterministic, with a reason that says what each
/// came to. Requires result.divergence.
void confirm_divergence(TrialResult& result, const TrialResult& again,
                        std::string_view where = "in a fresh process");

/// Holds a crashed trial against the same trial in a fresh process: if that did not crash, the
/// result becomes nondeterministic, with a reason.
void confirm_crash(TrialResult& result, const TrialResult& again);

/// Of a crash by a signal, and of a hang: the simulation's functions that its process was in, the
/// innermost first, eight at most; empty: not known.
[[nodiscard]] std::vector<CodePlace> last_code(const TrialResult& result);

/// What a divergence says by itself, without another run. Requires result.divergence.
[[nodiscard]] Explanation from_divergence(const TrialResult& result);

/// Runs two trials over the states of `range` and finds the first in which they differ. The hashes
/// are those of the range's last state; the fields are from `before` to `after`. None if a side
/// does not reach its hash there.
[[nodiscard]] core::Result<std::optional<Explanation>> find_divergence(
    const StateSource& before, const StateSource& after, StateRange range,
    const ExplainOptions& options);

/// Runs the diverged trial and the nominal schedule (or the recorded one) again over the ticks
/// since they last agreed. Falls back on what the divergence itself holds where the nominal
/// schedule does not reproduce the recording. Then runs both up to the first state that differs, to
/// compare their fields. Requires result.divergence.
[[nodiscard]] core::Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                                                const TrialRunner& run,
                                                const ExplainOptions& options);

/// Runs the trial again in fresh processes, to find where two of its runs part. `result` is
/// nondeterministic: it diverged, and `again`, the same trial, ended otherwise; perhaps since it
/// varied what must not matter.
[[nodiscard]] core::Result<Explanation> explain_disagreement(
    const TrialPlan& plan, const TrialResult& result, const TrialResult& again,
    const TrialRunner& run, const ExplainOptions& options,
    const std::vector<AxisValue>& again_varies = {});

}  // namespace isotick::harness
