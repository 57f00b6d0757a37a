#pragma once
// From what failed in a run of verify to the smallest recording that still fails.

#include "../../options/options.hpp"
#include "minimize_report.hpp"

#include <isotick/harness/detail/simulations/simulation_name.hpp>
#include <isotick/harness/verify.hpp>

#include <optional>
#include <string>

namespace isotick::program {

/// What is known before a failing session is made smaller.
struct Failing {
    harness::VerifyReport report;
    harness::FailedTrial trial;
    harness::SimulationName simulation;
    std::optional<harness::SimulationName> right;  ///< of the side that is right, if it runs here
};

/// The trial whose divergence was confirmed and shrunk, or else whose crash was shrunk; null where
/// there is none.
[[nodiscard]] const harness::FailedTrial* failing_trial(const harness::VerifyReport& report);

/// `recorded_by`: the build that made the recording, where the user named one.
[[nodiscard]] Failing failing_of(const harness::VerifyReport& report,
                                 const harness::FailedTrial& trial,
                                 const harness::SimulationName& simulation,
                                 const std::string& recorded_by);

/// Writes the smaller session to options.output, and runs it.
[[nodiscard]] core::Result<Minimized> minimize_failing(const Failing& failing,
                                                       const MinimizeOptions& options,
                                                       const harness::ShrinkOptions& shrink,
                                                       const Prepared& prepared);

}  // namespace isotick::program
