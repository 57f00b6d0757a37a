#pragma once
// Probes: the single measurements that an audit is made of. Each runs a recorded session, does
// something to the simulation that must not matter (or must), and reports what came of it.

#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/detail/worker/probe_facts.hpp>
#include <isotick/harness/detail/worker/progress.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// What a probe does.
enum class ProbeKind {
    liveness,    ///< runs the session in several ways that must, or must not, change its hashes
    restore,     ///< saves, loads in several ways, and runs on
    reload,      ///< runs on from a snapshot that another process saved
    transplant,  ///< as restore, with ranges of unseen memory copied over
    map,         ///< asks which memory the state's description visits
    poison,      ///< changes ranges of unseen memory and runs on
    flip,        ///< changes single values, which the hash must see
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
    std::vector<MemoryRange> ranges;         ///< to poison or transplant
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
