#pragma once
// What differs between the states of two trials, field by field.

#include <isotick/core/detail/fields/field_difference.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain/phases.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

/// The fields that differ, or why they are not known.
struct FieldReport {
    bool known = false;
    core::FieldDifferences differences;  ///< where known
    std::string unknown;                 ///< why not, in words; empty: nobody asked
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
