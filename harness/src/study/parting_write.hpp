#pragma once
// The first write of a tick to the state that two runs do not share, and the code that made it.

#include "../system/files.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>

namespace isotick::harness {

/// Runs both sides up to their states, which differ, in forked processes, and watches the memory of
/// the state from the state before (or the last snapshot that was loaded) on. What cannot be seen
/// is said in the result; fails only where nothing could be run.
[[nodiscard]] core::Result<PartingWrite> find_parting_write(const StateSource& before,
                                                            const StateSource& after,
                                                            const StepsToStates& steps);

// The same of a trial that comes to another state in each run: each can be looked at only once.

/// Asks for the writes of step `steps` that a run of `plan` makes first, with the code behind them.
void watch_first_writes(TrialPlan& plan, std::uint64_t steps, const SharedFile& file);

/// A run that was asked for that, and the file it wrote.
struct WatchedRun {
    const TrialResult& result;
    const SharedFile& file;
};

/// Where these two part.
[[nodiscard]] PartingWrite parting_write_of(const WatchedRun& a, const WatchedRun& b);

}  // namespace isotick::harness
