#pragma once
// Minimizing: from a session that fails to the shortest one, with the fewest inputs, that still
// does, as a recording of its own.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace isotick::harness {

/// Two trials of one session that diverge from each other, and where each is run. With other inputs
/// than the recorded ones the recorded hashes say nothing: the sides are held against each other.
struct FailingSides {
    TrialPlan reference;  ///< nominal, in the build that is right
    BranchRunner run_reference;
    TrialPlan failing;
    BranchRunner run_failing;
    /// How the failing trial ends: a smaller session has to diverge likewise, or to crash in the
    /// same call.
    TrialResult failed;
};

/// How much work shrinking inputs may be.
struct ShrinkInputsOptions {
    std::uint64_t most_ticks =
        0;                       ///< of both sides; 0: kUsualInputReplays times those to the fault
    std::function<bool()> stop;  ///< asked before each candidate whether to stop; may be empty
};

inline constexpr std::uint64_t kUsualInputReplays = 100;

/// An input that the fault needs.
struct KeptInput {
    core::Tick tick;
    std::uint32_t player = 0;  ///< ISOTICK_WORLD: the world
    friend bool operator==(const KeptInput&, const KeptInput&) = default;
};

/// The inputs of a session, shrunk.
struct FewerInputs {
    InputEdits edits;             ///< to the recorded inputs, up to the divergence
    std::vector<KeptInput> kept;  ///< by tick
    core::Tick diverged_at;       ///< never later than it was
    std::uint64_t trials = 0;     ///< of both sides each
    std::uint64_t ticks = 0;      ///< of both sides
    std::string unfinished;       ///< why there was more to try; empty: there was not
};

/// Releases or holds the inputs of the session, and simplifies those that are left, as long as the
/// sides still part at `diverged_at` or before. Both plans must be of the same recording. Fails
/// where that cannot be read.
[[nodiscard]] core::Result<FewerInputs> shrink_inputs_of(const FailingSides& sides,
                                                         core::Tick diverged_at,
                                                         const ShrinkInputsOptions& options);

/// What cut_session does.
struct CutSession {
    std::string from;
    std::string to;
    core::Tick last;
    bool overwrite = false;
    std::string note_key;
    std::string note;
};

/// Copies a session and its hashes up to tick `last`, or to the next one behind it at which the
/// hashes of all parts are stored, with one more note; for faults of which only one side can run.
/// Returns how many ticks that are. Fails with `usage` where `to` exists, unless `overwrite`.
[[nodiscard]] core::Result<std::uint64_t> cut_session(const CutSession& cut);

}  // namespace isotick::harness
