#pragma once
// Sessions of peers over a bad network, proved bit for bit: what `isotick lockstep` does.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/session_course.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

struct LockstepOptions {
    /// Mode, peers, network, events and faults of all trials. Seed and frames are drawn for each,
    /// unless `exact`: then this is the only trial.
    LockstepPlan plan;
    bool exact = false;
    bool draws_events = false;          ///< each trial gets a history of its own: draw_history
    std::uint64_t trials = 10;          ///< at least 1; trial 0 has nominal frames
    std::optional<std::uint64_t> seed;  ///< root of all trials' seeds; by default the session's
    std::uint64_t ticks = 0;            ///< of the session; 0: all that are recorded
    core::Settings environment;
    std::map<std::uint32_t, TrialRunner> other_builds;  ///< peers that run another build
    std::size_t most_fields = 3;                        ///< that differ, to list, of each kind
    std::optional<std::uint64_t> shrink_ticks = 0;      ///< to spend; 0: as is usual; none: do not
    std::string folder;       ///< where peers of the shown trial leave recordings; empty: nowhere
    bool time_lines = false;  ///< keep moments and packets of the shown trial
    std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
};

/// A peer of a trial, for as long as it was there at a time.
struct PeerOutcome {
    PeerRun run;         ///< without its course
    TrialResult result;  ///< of its simulation
};

/// The first state of a peer that is not that of the offline replay.
struct LockstepDivergence {
    std::size_t outcome = 0;  ///< index in LockstepTrial::outcomes
    std::uint64_t ticks_done = 0;
    core::StateHash offline;
    core::StateHash computed;
    std::vector<std::uint32_t> others;  ///< peers that have the offline hash there
    std::vector<std::string> parts;     ///< that differ, where that is known
    FieldReport fields;                 ///< from the offline to the peer's state
    FrameContext context;
    std::optional<Rerun> rerun;
    bool all_peers = false;  ///< every peer there has the same other hash
    /// Where runs of the peer are not alike: axes with which they are, and what it asked the system
    /// for of what these change; all that may differ from run to run where there are none.
    std::vector<AxisValue> chance{};
    std::vector<SystemReads> reads{};
};

/// What made a failing session smaller.
struct SessionShrinking {
    LockstepPlan original;
    std::uint64_t original_ticks = 0;
    std::uint64_t trials = 0;
    std::uint64_t ticks = 0;  ///< that those ran
    std::string unfinished;   ///< why there was more to try; empty: there was not
    /// Events, frames, a network or packets, in words: without any one of them no peer diverges.
    std::vector<std::string> needs;
};

struct LockstepTrial {
    std::uint64_t number = 0;
    LockstepPlan plan;
    std::uint64_t ticks = 0;  ///< of the session
    Verdict verdict = Verdict::identical;
    std::string reason;  ///< for every verdict but identical and diverged
    SessionEnd end = SessionEnd::finished;
    std::int64_t ended_ns = 0;
    LinkStatistics traffic;
    InputEdits absences;
    std::vector<PeerEvent> missed;  ///< of the plan, that were to come after its end
    std::vector<PeerOutcome> outcomes;
    /// What became of packets that were not delivered plainly, where a time line is wanted; of
    /// very long sessions those of the beginning (SimulatedNetwork::kMostLogged).
    std::vector<LoggedPacket> logged;
    std::optional<LockstepDivergence> divergence;
    std::optional<HashMismatch> mismatch;  ///< as the peers themselves found it
    std::optional<SessionShrinking> shrinking;
};

/// What all peers of all trials did.
struct LockstepTotals {
    std::uint64_t confirmed = 0;  ///< ticks
    std::uint64_t steps = 0;
    std::uint64_t run_again = 0;
    std::uint64_t rollbacks = 0;
    std::uint64_t most_back = 0;
    std::uint64_t stalls = 0;  ///< frames
    std::uint64_t waits = 0;   ///< frames
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;  ///< payload
    std::uint64_t hashes_compared = 0;
};

struct LockstepReport {
    std::string recording;
    replay::RecordingHead head;
    std::uint64_t ticks = 0;
    std::uint64_t seed = 0;
    TrialResult offline;  ///< the nominal replay, without peers
    Verdict verdict = Verdict::identical;
    std::uint64_t trials = 0;
    std::uint64_t identical = 0;
    LockstepTotals totals;
    LockstepTrial shown;                                    ///< the first that failed, else trial 0
    std::vector<std::pair<std::uint64_t, Verdict>> failed;  ///< by number
};

/// Runs the session of `recording` as peers. Each peer's simulation runs by `run`, on its own: what
/// it does when follows from the plan and the inputs alone. All states that peers agree on are held
/// against the recorded ones, or, where peers were absent, against those of an offline replay
/// without their inputs. Fails where plan and recording do not fit, or nothing could be run.
[[nodiscard]] core::Result<LockstepReport> run_lockstep(const std::string& recording,
                                                        const LockstepOptions& options,
                                                        const TrialRunner& run);

/// The plan of trial `number`, drawn from the root seed, the session digest and the number alone.
/// `ticks`: the session's.
[[nodiscard]] LockstepPlan draw_lockstep_plan(const LockstepOptions& options, std::uint64_t number,
                                              std::uint64_t root_seed, const core::Digest& session,
                                              core::TickRate rate, std::uint64_t ticks);

/// Adds to a plan what may happen to its peers in a session that lasts `length_ns` at least: they
/// come late, leave, are killed, pause and come again, and the network is cut, at moments that are
/// often close to each other. In the last quarter the network is whole and all who were killed are
/// back, so that the session can end. Drawn from the seed alone.
void draw_history(LockstepPlan& plan, std::uint64_t seed, std::int64_t length_ns);

/// The report in words, as the program prints it but for its options: the trial that failed first,
/// or trial 0, what its peers did, what went wrong, and the verdict.
[[nodiscard]] std::string describe(const LockstepReport& report);

/// An SVG image of the trial that is shown, 1200 units wide, on light and dark ground: see
/// TIMELINE.md. Of sessions longer than 30 s it has the part around what went wrong, or the first
/// 30 s. Needs LockstepOptions::time_lines. The same report gives the same bytes.
[[nodiscard]] std::string time_line_svg(const LockstepReport& report);

}  // namespace isotick::harness
