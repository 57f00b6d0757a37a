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
/// difference comes from. If the write cannot be determined,
/// `unknown` in the result says why; fails only if nothing could be run.
[[nodiscard]] core::Result<PartingWrite> find_parting_write(const StateSource& before,
                                                            const StateSource& after,
                                                            const StepsToStates& steps);

// The same for a nondeterministic trial, whose runs cannot be repeated: each is watched while it
// runs for the first time.

/// Makes a run of `plan` log its first writes in step `steps` and the frames leading up to it, with
/// call stacks; `is_traced`: and the instructions of the step, which takes a thousand times longer.
void watch_first_writes(TrialPlan& plan, std::uint64_t steps, const SharedFile& file,
                        bool is_traced);

/// Such a run, and the file that it logged to.
struct WatchedRun {
    const TrialResult& result;
    const SharedFile& file;
};

/// The first write that these two runs do not share, and its origin if they were traced.
[[nodiscard]] PartingWrite parting_write_of(const WatchedRun& a, const WatchedRun& b);

}  // namespace isotick::harness
