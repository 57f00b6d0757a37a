#pragma once
// The single measurements of an audit: what they are asked and what they find.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/detail/system_reads.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/detail/verdict.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// How two states differ that should be equal.

struct DifferingField {
    std::string path;
    std::string text;  ///< path, both values, and how far apart they are
    friend bool operator==(const DifferingField&, const DifferingField&) = default;
};

struct StateDifference {
    std::uint64_t ticks_done = 0;
    std::vector<std::string> parts;      ///< whose hashes differ
    std::vector<DifferingField> fields;  ///< the first that differ
    std::uint64_t fields_total = 0;
    bool fields_known = false;  ///< the simulation shows its fields
};

// What probes find out.

/// A call that must leave the state alone, and after which it was another.
struct Disturbance {
    std::string call;  ///< `render`
    StateDifference difference;
};

/// A call that came back with other floating-point control words than it was called with: from
/// then on its thread rounds, or treats small numbers, in another way.
struct FloatLeak {
    std::string call;  ///< `render`
    std::uint64_t ticks_done = 0;
    std::string how;        ///< `rounds toward zero (before: to nearest)`
    bool observer = false;  ///< not create, step or load: it must leave everything alone
};

/// Fields held against hashes, from one state to the next.
struct FieldFacts {
    std::uint64_t compared = 0;         ///< pairs of states
    std::vector<std::string> unhashed;  ///< the first paths that differ under an equal hash
};

/// Whether the session does something, and whether looking at it leaves it alone.
struct LivenessFacts {
    std::uint64_t ticks = 0;  ///< of the session, as far as it was looked at
    std::uint64_t players = 0;
    std::uint64_t inputs_present = 0;
    bool hash_changed = false;
    bool inputs_mattered = false;
    bool reproduced = true;                      ///< the hashes are those that were recorded
    std::uint64_t unreproduced = 0;              ///< ticks done of the first state where not
    bool twins_compared = false;                 ///< two instances can be run side by side
    std::vector<std::string> parts_of_no_state;  ///< hashes differ between states of equal fields
    bool twins_differ = false;       ///< two runs of the same session compute different states
    StateDifference twins;           ///< how, where one of both is so
    std::vector<std::string> calls;  ///< that were tried
    std::vector<Disturbance> disturbances;
    FieldFacts fields;
};

enum class RestoreOutcome {
    matched,  ///< every hash from the restored state on was that of the original
    differs,  ///< the restored state, or a later one
    refused,  ///< save failed, or load of what it had written
    broke,    ///< the restored instance crashed, failed or hung
    /// It differs, but so does an instance that nothing was loaded into: two instances of the same
    /// session do not compute the same.
    unsettled,
};

/// What happens between save and load. All must come to the same; tried in this order.
enum class RestoreWay {
    straight,  ///< nothing: loaded into a new instance at once
    set_back,  ///< loaded into an instance that has run on from that very snapshot
    later,     ///< the original has run on, and was saved once more
    replaced,  ///< the original is gone, and so is another one that ran after it
    fresh,     ///< loaded in another process
};

struct RestoreFacts {
    std::uint64_t at = 0;        ///< ticks done when the snapshot was taken
    std::uint64_t run_on = 0;    ///< ticks
    std::uint64_t snapshot = 0;  ///< its size in bytes
    RestoreOutcome outcome = RestoreOutcome::matched;
    RestoreWay way = RestoreWay::straight;  ///< where not matched: the first that did not
    StateDifference difference;             ///< before: the original, after: the restored one
    std::string reason;                     ///< where refused or broke
};

/// Bytes at the same place in all objects of a type.
struct MemoryRange {
    std::string type;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};

/// A piece of unseen memory: a member, the padding between members, or a word.
struct UnseenPiece {
    MemoryRange range;
    std::string member;    ///< `body_.velocity`; empty where it is not known, and of padding
    bool word = false;     ///< members are not known: holds parts of one, or of several
    bool global = false;   ///< it is a global or static: all instances have the same
    bool padding = false;  ///< no member stands there
    bool opaque = false;   ///< holds an address, or a container or pointer: no values to change
};

/// What the state's description visits of the objects of one type.
struct TypeMemory {
    std::string type;
    std::uint64_t size = 0;     ///< of one object
    std::uint64_t objects = 0;  ///< the most at a time
    std::uint64_t made_up = 0;  ///< values within them that `serialize` made for the occasion
    std::vector<MemoryRange> unseen;
    std::vector<UnseenPiece> pieces;  ///< the same, split at the borders of members
    /// Where the objects are that no description shows: a plug-in's globals and statics, in bytes
    /// from where its library is loaded. Empty: the simulation shows its objects itself.
    std::vector<std::uint64_t> offsets;
};

/// What is known of a plug-in's globals and statics.
struct GlobalFacts {
    std::string unavailable;      ///< why they were not looked into; empty: they were
    std::uint64_t variables = 0;  ///< members of arrays and structs counting as one each
    std::uint64_t constant = 0;   ///< of those, how many never change in the session
    std::uint64_t unknown = 0;    ///< others, of which debug information does not tell
};

enum class TransplantOutcome {
    cured,    ///< with these bytes of the original, the restored future matches
    none,     ///< it differs as before
    crashed,  ///< it crashed, failed or hung
    absent,   ///< original and restored instance do not have the same objects
};

struct TransplantFacts {
    std::uint64_t at = 0;
    MemoryRange range;
    TransplantOutcome outcome = TransplantOutcome::none;
};

enum class PoisonOutcome {
    none,     ///< no hash changed
    seen,     ///< the state's own hash changed: it is seen after all
    future,   ///< a later hash changed
    crashed,  ///< it crashed, failed or hung: the bytes hold a size, or the like
    pointer,  ///< they hold an address, and cannot be told by changing them
    absent,   ///< there were no such objects
};

enum class RepairOutcome {
    not_tried,
    repaired,  ///< loading a snapshot into a poisoned instance wrote the bytes as they were
    harmless,  ///< load did not write them so, but the future after it was the same
    kept,      ///< it was not
    crashed,
};

enum class ResetOutcome {
    not_tried,
    constant,  ///< the bytes never change
    none,      ///< set back to what they were before tick 0, they change no hash
    future,    ///< they change a later hash
};

/// What came of changing a range in all objects of its type.
struct PoisonFacts {
    MemoryRange range;
    PoisonOutcome outcome = PoisonOutcome::absent;  ///< of the first state that showed one
    std::uint64_t at = 0;                           ///< that state, by ticks done
    std::uint64_t changed_at = 0;      ///< ticks done of the first state with another hash
    std::vector<std::string> changed;  ///< its parts that differ
    RepairOutcome repair = RepairOutcome::not_tried;  ///< where the future changed
    ResetOutcome reset = ResetOutcome::not_tried;     ///< where load does not repair it
};

/// The code that last changed a range, or the values at a path, in the ticks before a state.
struct WriterFacts {
    MemoryRange range;
    std::string path;  ///< where it is no range: of the state, in all elements
    std::uint64_t tick = 0;
    std::vector<CallSite> sites;  ///< the innermost first; empty: it is not known
};

/// Values of one class (`units[*].x`) that were changed where they are in memory.
struct FlippedClass {
    std::string path;
    std::uint64_t tried = 0;
    std::uint64_t unseen = 0;  ///< hash as before
    bool sticky = false;       ///< with the old value again, the hash was not the old one
};

/// A single bit that, changed, broke the simulation.
struct FlipBreak {
    std::string what;  ///< `bit 3 of byte 17 of the snapshot`, `bit 0 of byte 2 of units[*].x`
    std::string how;   ///< `killed by signal 11 (…) in load after tick 5`
};

/// Single values that were changed.
struct FlipFacts {
    std::uint64_t at = 0;
    std::vector<FlippedClass> classes;         ///< by path; empty: its memory is not shown
    std::uint64_t broken = 0;                  ///< bits that broke it, of memory or snapshot
    std::vector<FlipBreak> breaks;             ///< the first of them
    std::uint64_t snapshot_tried = 0;          ///< bytes of a snapshot that were changed
    std::uint64_t snapshot_taken = 0;          ///< and loaded: saved again, it differs
    std::vector<std::string> snapshot_unseen;  ///< of those, what differs where the hash does not
    std::uint64_t snapshot_idle = 0;           ///< of those, what no field shows and no tick uses
};

// Probes: the single measurements that an audit is made of. Each runs a recorded session, does
// something to the simulation that must not matter (or must), and reports what came of it.

/// What a probe does.
enum class ProbeKind {
    liveness,    ///< runs the session in several ways that must, or must not, change its hashes
    restore,     ///< saves, loads in several ways, and runs on
    reload,      ///< runs on from a snapshot that another process saved
    transplant,  ///< as restore, with ranges of unseen memory copied over
    map,         ///< asks which memory the state's description visits
    poison,      ///< changes ranges of unseen memory and runs on
    flip,        ///< changes single values, which the hash must see
    writer,      ///< looks for the code that changes ranges of unseen memory, or fields
};

/// Everything that decides what a probe computes.
struct ProbePlan {
    std::string recording;  ///< path
    core::Settings environment;
    ProbeKind kind = ProbeKind::liveness;
    std::uint64_t most_ticks = 0;            ///< of the session that are looked at
    std::vector<std::uint64_t> at;           ///< the states to probe, by ticks done; ascending
    std::uint64_t run_on = 0;                ///< ticks, or as many as the session has left
    std::uint64_t seed = 0;                  ///< of what the probe draws
    std::vector<std::string> ignored_parts;  ///< whose hashes differ between equal instances
    std::vector<MemoryRange> ranges;         ///< to poison, to transplant or to watch
    std::vector<std::string> paths;          ///< of the state, to watch
    /// The ranges hold addresses: what is poison to them is another instance's bytes.
    bool opaque = false;
    bool names = false;               ///< whether a map tells the names of members
    std::vector<TypeMemory> globals;  ///< of which `ranges` are, by type, size and offsets
    std::string snapshot;  ///< path of what a restore leaves for a reload; empty: nothing
    /// In a newly executed process, where the runner has processes; then all plans that it is
    /// given together are.
    bool fresh = false;
    std::uint64_t hang_ms = 5'000;  ///< after so long without progress a copy is given up
};

/// What a probe found. Only the member of its kind is filled in.
struct ProbeResult {
    /// identical: it was carried out; crashed, timed_out: by the simulation itself, untouched;
    /// nondeterministic: run twice from the same state, it computed different ones.
    Verdict verdict = Verdict::identical;
    std::string reason;                  ///< in words, where it was not carried out
    std::optional<core::Error> refused;  ///< recording and simulation do not fit
    std::uint64_t work = 0;              ///< ticks simulated
    std::uint64_t capabilities = 0;      ///< what is not declared is not probed
    LivenessFacts liveness;
    std::vector<FloatLeak> float_leaks;        ///< the first of each call
    std::vector<RestoreFacts> restores;        ///< one for each state of the plan
    std::vector<TransplantFacts> transplants;  ///< one for each range of the plan
    std::vector<TypeMemory> types;             ///< by name
    GlobalFacts globals;                       ///< of a map
    std::vector<PoisonFacts> poisons;          ///< one for each range of the plan
    FlipFacts flips;
    std::vector<WriterFacts> writers;  ///< one for each range of the plan, then for each path
    std::string output;  ///< what the simulation printed, where it ran in a worker process
};

/// Runs a probe in the calling process. What the untouched simulation does to its process happens
/// to the caller; what it does once it was tampered with, to a forked copy. Never throws.
[[nodiscard]] ProbeResult run_probe(const ProbePlan& plan, const isotick_simulation_table& table,
                                    Progress& progress);

/// Runs plans and returns their results in the same order. Fails only where none could be run.
using ProbeRunner =
    std::function<core::Result<std::vector<ProbeResult>>(std::span<const ProbePlan> plans)>;

/// As in_worker_processes and in_this_process, for probes.
[[nodiscard]] ProbeRunner probes_in_worker_processes(SimulationName simulation,
                                                     WorkerOptions options);
[[nodiscard]] ProbeRunner probes_in_this_process(const isotick_simulation_table& table);

}  // namespace isotick::harness
