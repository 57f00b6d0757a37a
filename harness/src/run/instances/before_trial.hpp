#pragma once
// What comes before a trial, where its axes want other instances of the simulation.

#include "../../platform/mapped_file.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/worker/progress.hpp>
#include <isotick/harness/trial.hpp>

#include <optional>
#include <string>

namespace isotick::harness {

/// Runs the instances that `plan` wants before its own: in this process, which they leave as they
/// do; or in a copy of it, up to a snapshot that the trial then begins from. A copy is not to be
/// had of a process with other threads, which then runs that instance itself.
class BeforeTrial {
  public:
    /// Changes `plan` so that it begins where that snapshot is. Valid as long as the trial runs.
    /// Fails as the simulation does, and as the system does where it has no room for a copy.
    [[nodiscard]] core::Result<void> run(TrialPlan& plan, const isotick_simulation_table& table,
                                         Progress& progress);

  private:
    [[nodiscard]] core::Result<void> leave_snapshot(TrialPlan& plan,
                                                    const isotick_simulation_table& table,
                                                    Progress& progress);

    std::optional<SharedFile> snapshot_;
};

}  // namespace isotick::harness
