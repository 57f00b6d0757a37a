#pragma once
// A trial: one replay of one recording, driven in one way.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/checkpoint.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/detail/system_reads.hpp>
#include <isotick/harness/detail/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// States by how many steps a trial took to come to them, from `first` to `last`, both included.
/// Where no loop goes back in time, so many ticks made them.
struct StateRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    friend bool operator==(const StateRange&, const StateRange&) = default;
};

/// Asks for a state to be written as a state dump (core/FIELDS.md).
struct DumpRequest {
    std::string path;                    ///< of a file that exists; its content is replaced
    std::optional<std::uint64_t> steps;  ///< to which state; by default the trial's last
    friend bool operator==(const DumpRequest&, const DumpRequest&) = default;
};

/// Asks for the values of fields after every tick. The file gets one line of JSON a tick, at once,
/// so that those before a crash are there: `[1187, "0.5", null]`, the tick, then each field's value
/// (core::SelectedField::value), null where it does not exist then. A field that is missing for the
/// first time is preceded by a line like `{"column": 1, "missing": "there is no 'x' in …"}`.
struct WatchRequest {
    std::string path;                 ///< of a file that exists; its content is replaced
    std::vector<std::string> fields;  ///< a core::FieldPattern of a single value each, without [*]
    friend bool operator==(const WatchRequest&, const WatchRequest&) = default;
};

/// Asks for a log of the writes to the state during step `steps` and the frames leading up to it;
/// if a snapshot is loaded meanwhile, of those after that, unless `with_loads`.
struct WriteRequest {
    std::string path;                ///< of a file that exists; its content is replaced
    std::uint64_t steps = 0;         ///< from 1
    std::uint64_t most = 0;          ///< how many writes to log; later ones are left out
    std::uint64_t with_code = 0;     ///< how many of these, the last, to log with their call stacks
    std::uint64_t most_traps = 0;    ///< how many writes to the same pages, whosever, to stop for
    std::string of{};                ///< only those to this part of the state, by its path
    bool with_loads = false;         ///< also those that loading makes, and those before it
    std::uint64_t instructions = 0;  ///< how many instructions of the step to trace; slow
    std::uint64_t trace_from = 0;    ///< trace only what follows this many writes
    friend bool operator==(const WriteRequest&, const WriteRequest&) = default;
};

/// Asks for digests of the fields of every state (core::FieldDigests), and for nothing else: the
/// recording gives its session, whose hashes may be of another algorithm and of other parts.
struct FieldDigestRequest {
    std::string path;  ///< of a file that exists; its content is replaced
    friend bool operator==(const FieldDigestRequest&, const FieldDigestRequest&) = default;
};

/// Asks for hashes in a file of their own: 8 bytes each, little-endian, that of the state after n
/// ticks at 8 n. Two trials whose inputs are not the recorded ones are held against each other by
/// it.
struct HashFile {
    enum class Use { write, compare };  ///< compare: with these instead of the recorded ones
    std::string path;                   ///< of a file that exists
    Use use = Use::write;
    friend bool operator==(const HashFile&, const HashFile&) = default;
};

/// Everything that decides what a trial computes.
struct TrialPlan {
    std::string recording;  ///< path
    core::Settings environment;
    Drive drive;
    /// The last tick to run, the last time that it is come to; by default the recording's
    /// last, where the trial ends as soon as it is run.
    std::optional<core::Tick> until;
    std::uint64_t most_steps = 0;     ///< steps to take at most; 0: as many as it takes
    InputEdits inputs;                ///< changes to the recorded inputs
    std::optional<HashFile> hashes;   ///< instead of the recorded ones
    std::uint64_t most_frames = 0;    ///< frames to run at most; 0: 1000 per tick, plus a million
    std::optional<StateRange> trace;  ///< keep the hashes of these states, and compare none
    std::vector<DumpRequest> dumps;
    std::optional<WatchRequest> watch;
    std::optional<WriteRequest> writes{};
    std::optional<FieldDigestRequest> field_digests{};  ///< then no hash is compared
    std::optional<std::uint64_t>
        checkpoints_of{};                   ///< hash the state at those of this step, from 1
    bool notes_reached = false;             ///< fill TrialResult::reached
    std::optional<CourseRequest> course{};  ///< in the place of the drive's loop and schedule
    bool one_call_at_a_time = false;   ///< wait for each call where they could be queued: slower
    bool keep_diverged_state = false;  ///< see TrialResult::diverged_state
    /// Calls for random numbers from this place (SystemCall::from) get them as usual, even if the
    /// axis `random` changes the others. 0: no place.
    std::uint64_t usual_place = 0;
};

/// Changes that leave no input at all: do inputs matter?
[[nodiscard]] InputEdits without_inputs();

/// Where in its frame a tick fell: what may have provoked a divergence.
struct FrameContext {
    std::uint64_t frame = 0;  ///< number of the frame, from 0
    core::FrameTime frame_time;
    std::uint64_t tick_in_frame = 0;  ///< from 0
    std::uint64_t ticks_in_frame = 0;
    std::uint64_t idle_frames = 0;  ///< frames without a tick just before this one
    double last_alpha = 0;          ///< at which the frame before this one was rendered
    std::uint64_t back = 0;         ///< ticks that the frame undid before its first tick
};

/// Of a tick that was run before: a loop went back in time, or a peer, who may have run it on other
/// inputs then.
struct Rerun {
    std::uint64_t first_steps = 0;  ///< how many steps it took to its state the first time
    std::uint64_t back_from = 0;    ///< ticks done when it last went back
    friend bool operator==(const Rerun&, const Rerun&) = default;
};

/// The hashes of one state. `ticks_done` is 0 for the state before tick 0, t + 1 after tick t.
struct StateRecord {
    std::uint64_t ticks_done = 0;
    core::StateHash hash;
    std::vector<core::PartHash> parts;
    FrameContext context;          ///< of the tick that made this state
    std::uint64_t steps = 0;       ///< that the trial took to it, those it undid included
    std::optional<Rerun> rerun{};  ///< where it was there before
};

/// The first compared state whose hash is not the recorded one.
struct Divergence {
    StateRecord computed;  ///< its ticks_done says when
    core::StateHash recorded;
    std::vector<core::PartHash> recorded_parts;        ///< empty: not stored for this tick
    std::optional<std::uint64_t> last_agreed;          ///< ticks_done of the last state that agreed
    std::optional<std::uint64_t> last_agreed_steps{};  ///< the same, in steps
};

/// What a trial did, whatever its verdict.
struct TrialStatistics {
    std::uint64_t ticks = 0;          ///< that were stepped, again and again where a loop goes back
    std::uint64_t ticks_reached = 0;  ///< of the session, at most
    std::uint64_t frames = 0;
    std::uint64_t hashes_compared = 0;
    std::uint64_t least_ticks_per_frame = 0;
    std::uint64_t most_ticks_per_frame = 0;
    std::uint64_t inputs_present = 0;
    std::uint64_t schedule_repeats = 0;  ///< how often the schedule ended and began again
    std::uint64_t state_loads = 0;       ///< how often it went back to a snapshot
    std::uint64_t least_ticks_back = 0;  ///< how far at a time
    std::uint64_t most_ticks_back = 0;
    std::uint64_t ticks_undone = 0;  ///< all in all
    std::uint64_t final_steps = 0;   ///< of a course: those of `ticks` that were final
    bool hash_changed = false;       ///< two compared states had different hashes
};

/// Which of the calls a simulation has that tell it of frames.
struct HostCalls {
    bool begin_frame = false;
    bool render = false;
    friend bool operator==(const HostCalls&, const HostCalls&) = default;
};

/// What a trial ended with.
struct TrialResult {
    Verdict verdict = Verdict::identical;
    std::string reason;                  ///< in words, for every verdict but identical and diverged
    std::optional<core::Error> refused;  ///< recording, simulation and plan do not fit
    std::optional<Place> failed_in;  ///< of crashes and hangs: the call that did not return well
    /// Of crashes by a signal and of hangs: where its process was, the innermost call first; empty:
    /// not known.
    std::vector<CallSite> stack{};
    std::optional<Divergence> divergence;
    TrialStatistics statistics;
    std::optional<core::StateHash> last_hash;  ///< the last one computed
    std::vector<std::string> part_names;
    std::vector<StateRecord> trace;
    std::vector<Checkpoint> checkpoints;     ///< of the step that the plan names
    std::vector<std::string> reached{};      ///< names of checkpoints, where the plan asks for them
    bool dumped = false;                     ///< the state dump is written
    std::optional<core::Error> dump_failed;  ///< why not, where one was asked for; decides nothing
    std::string note;  ///< something worth knowing that decides nothing (no tail, damage)
    /// What the simulation did wrong once the last hash was compared: `its process was killed by
    /// signal 11 (…)`, `it left 2 processes running`. Empty: nothing. Decides nothing.
    std::string bad_end;
    std::string output;  ///< what the simulation printed, where it ran in a worker process
    /// Where the recording is damaged, in bytes: only the ticks before it were replayed.
    std::optional<std::uint64_t> damaged_at;
    bool fresh = false;               ///< it ran in a newly exec'ed process
    std::optional<HostCalls> calls;   ///< none where its process ended before it could say
    std::uint64_t capabilities = 0;   ///< of isotick_info
    std::string build_id;             ///< as the simulation declares it
    std::vector<std::string> unread;  ///< names of varied settings that it is known not to look at
    std::vector<SystemReads> reads;   ///< what it asked the system for, where that can be seen
    /// A state dump (core/FIELDS.md) of the state that diverged, where the plan asks for it and the
    /// simulation shows its fields and still stands on that state, as one whose calls are queued
    /// does not. Empty where it would be larger than kLargestKeptState.
    std::vector<std::byte> diverged_state;
};

inline constexpr std::size_t kLargestKeptState = std::size_t{1} << 20;

/// `tick 17` for the state after it, `the initial state` for 0 ticks done.
[[nodiscard]] std::string describe_state(std::uint64_t ticks_done);

/// Runs `plan` in the calling process with the simulation of `table`. What the simulation does to
/// its process (exit, crash, hang) happens to the caller; use run_trials for isolation. `progress`
/// is kept up to date. Never throws.
[[nodiscard]] TrialResult run_trial(const TrialPlan& plan, const isotick_simulation_table& table,
                                    Progress& progress);

}  // namespace isotick::harness
