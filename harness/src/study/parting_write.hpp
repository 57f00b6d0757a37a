#pragma once
// The first write to the state that two runs do not share, in the tick that diverged or in the
// frames leading up to it, and the code that made it.

#include "../system/files.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>

namespace isotick::harness {

/// Reruns both sides, in forked processes, up to the states that differ, and watches the state's
/// memory from the last common state (or the last snapshot loaded) on. `before` and `after` are the
/// two sides, in a report the recorded and the computed one. Then traces the tick, for where the
/// difference comes from, and for writes to memory that was not the state's before. If the write
/// cannot be determined, `unknown` in the result says why; fails only if nothing could be run.
[[nodiscard]] core::Result<PartingWrite> find_parting_write(const StateSource& before,
                                                            const StateSource& after,
                                                            const StepsToStates& steps);

// The same for a nondeterministic trial, whose runs cannot be repeated: each is watched while it
// runs for the first time.

/// How many instructions of a step to trace: each takes some microseconds. In the catalogue of
/// faults, the longest step whose trace found an origin has 16,691 instructions.
inline constexpr std::uint64_t kMostOfStep = 20'000;
inline constexpr std::uint64_t kMostForNewMemory = 60'000;  ///< if the watch saw no difference

/// Makes a run of `plan` log its first writes in step `steps` and the frames leading up to it, with
/// call stacks, and up to `instructions` instructions of the step.
void watch_first_writes(TrialPlan& plan, std::uint64_t steps, const SharedFile& file,
                        std::uint64_t instructions);

/// Such a run, and the file that it logged to.
struct WatchedRun {
    const TrialResult& result;
    const SharedFile& file;
};

/// The first write that these two runs do not share, and its origin if they were traced.
[[nodiscard]] PartingWrite parting_write_of(const WatchedRun& a, const WatchedRun& b);

/// True if all watched writes match: the difference may be in newly allocated memory, which only a
/// trace can show.
[[nodiscard]] bool may_be_in_new_memory(const PartingWrite& write);

}  // namespace isotick::harness
