#pragma once
// The fields in which two states differ, and the phases of a tick between which they first do.

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/system_reads.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

// Between which of its checkpoints a tick first differs.

/// A checkpoint of a tick.
struct PhasePoint {
    std::string name;
    /// Which one of this name, from 1, where the tick has several; else 0.
    std::uint64_t number = 0;
    friend bool operator==(const PhasePoint&, const PhasePoint&) = default;
};

/// What the checkpoints of both sides say of a tick that made different states.
struct Phases {
    std::optional<PhasePoint>
        after;  ///< the last where both were the same; none: not even the first
    std::optional<PhasePoint> before;  ///< the first where they differ; none: the tick's end
    std::vector<std::string> parts{};  ///< names of those that differ there
    /// The sides go on to different checkpoints: one to `before` (none: its end), the other to
    /// `other`.
    bool forks = false;
    std::optional<PhasePoint> other{};
    std::string unknown{};  ///< why all that is not known; empty: it is
};

/// Holds the checkpoints of two trials against each other, whose states differ at that tick's end.
/// None where neither has any.
[[nodiscard]] std::optional<Phases> compare_checkpoints(const TrialResult& a, const TrialResult& b);

/// `first differs after "ai", before "physics"`; of the sequences `a → b` where they fork.
[[nodiscard]] std::string to_string(const Phases& phases);

// What differs between the states of two trials, field by field.

/// The fields that differ, or why they are not known.
struct FieldReport {
    bool known = false;
    core::FieldDifferences differences;  ///< where known
    std::string unknown;                 ///< why not, in words; empty: nobody asked
};

/// A write that changed the state.
struct StateWrite {
    Activity during = Activity::stepping;  ///< the call that made it
    std::string path;    ///< `units[17].velocity.y`; `[*]` if the element is not known
    std::string before;  ///< the old value; empty if the memory was new
    std::string after;   ///< the new one; both are empty for bookkeeping, such as a vector's size
    /// The function that wrote, then its callers, as far as they are the simulation's; up to eight.
    std::vector<CodePlace> code;
};

/// Where a differing value enters the tick. The operands of a write are followed back, on both
/// sides, to the first instruction that gives different results for the same operands.
struct ValueOrigin {
    enum class Kind {
        memory,     ///< it reads memory that nothing wrote earlier in the tick
        earlier,    ///< it reads a value that already differed where the trace begins
        address,    ///< it orders addresses, or uses one as a number
        processor,  ///< it asks the processor, for the time or for random numbers
        system,     ///< it calls the system, or reads memory that a system call may have written
    };
    Kind kind = Kind::memory;
    std::string called;           ///< the library function that contains it, `time`; empty: none
    std::vector<CodePlace> code;  ///< as in StateWrite
};

/// The first write to the state that two sides do not share: only one made it, or they made it
/// differently. Covers the tick that diverged and the frames leading up to it.
struct PartingWrite {
    std::optional<StateWrite> before;     ///< on the side before (the recorded one); none: not made
    std::optional<StateWrite> after;      ///< on the side after (the computed one)
    std::string unknown{};                ///< why neither is known
    std::optional<ValueOrigin> origin{};  ///< none: not known
};

/// The writes to one part of the state, such as a random generator, in the tick that diverged and
/// in the frames leading up to it. A *draw* is one write, or several in a row to different values
/// by the same call.
struct Draws {
    enum class Side { both, before, after };
    struct Draw {
        Side side = Side::both;
        Activity during = Activity::stepping;  ///< the call that made it
        std::vector<CodePlace> code;           ///< as in StateWrite
        friend bool operator==(const Draw&, const Draw&) = default;
    };
    std::string of;            ///< the path of the part
    std::string unknown{};     ///< why the draws are not known; empty: they are
    std::uint64_t before = 0;  ///< how many the side before makes (the recorded one)
    std::uint64_t after = 0;   ///< how many the side after makes
    std::uint64_t same = 0;    ///< how many are the same on both sides before the first that is not
    std::vector<Draw> draws{};  ///< the others, in order, matched by the code that makes them
    bool cut = false;           ///< a limit was reached; there may be more
    /// How many functions at the beginning of each `code` belong to the generator, which reports
    /// leave out: those that all draws of both sides share (in the first, the line may differ). 0
    /// if all draws come from one place.
    std::size_t own_functions = 0;
};

/// How to come to one of two states.
struct StateSource {
    TrialPlan plan;                    ///< its trace, dump and checkpoints are replaced
    const TrialRunner* run = nullptr;  ///< what runs it; not null
    core::StateHash hash;              ///< what the state must hash to
};

/// What differs in two states, and from where in their tick.
struct StateReport {
    FieldReport fields;
    std::optional<Phases> phases;  ///< none where the tick has no checkpoints
};

/// How many steps it takes each side to its state: another number where a loop goes back in time.
struct StepsToStates {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};

/// Runs both sides up to these states, in forked processes, and compares their fields; lists up to
/// `most` of each kind. A side that does not come to its hash, crashes, or does not show its fields
/// makes the report unknown. Compares the checkpoints of the last step, too. Fails only where
/// nothing could be run.
[[nodiscard]] core::Result<StateReport> compare_states(const StateSource& before,
                                                       const StateSource& after,
                                                       const StepsToStates& steps,
                                                       std::size_t most);

/// Two state dumps (`*.state`), held against each other.
struct StateComparison {
    struct Side {
        std::string simulation;
        std::uint64_t ticks_done = 0;
        std::string hash_algorithm;
        core::StateHash hash;
    };
    Side a;
    Side b;
    core::FieldDifferences differences;
};

/// Whether the file at `path` begins as a state dump does; false where it cannot be read.
[[nodiscard]] bool is_state_dump(const std::string& path);

/// Compares two state dumps, which may be damaged or hostile: then fails with the file and offset.
[[nodiscard]] core::Result<StateComparison> compare_state_dumps(const std::string& a,
                                                                const std::string& b,
                                                                std::size_t most);

}  // namespace isotick::harness
