#pragma once
// `isotick minimize`.

#include "../options/options.hpp"
#include "verify_setup.hpp"

#include <isotick/harness/detail/minimize.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/verify.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::program {

// What `isotick minimize` says it has done.

/// Of one recording.
struct MinimizeOptions : VerifyCommandOptions {
    std::string output;
    bool force = false;
};

/// What was made of a failing session.
struct Minimized {
    std::optional<harness::FewerInputs> inputs{};  ///< none: they are all there, up to the end
    std::uint64_t inputs_present = 0;              ///< in the recording, where they are fewer
    std::uint64_t ticks = 0;                       ///< of the recording that was written
    bool fails = false;                            ///< it was run, and diverged or crashed
    std::uint64_t ticks_done = 0;                  ///< when
    std::string otherwise{};                       ///< how it failed instead; empty: it did not
    harness::Drive drive{};                        ///< under which
    std::uint64_t more_trials = 0;                 ///< to shrink the drive again, with fewer inputs
};

[[nodiscard]] std::string minimized_text(const harness::VerifyReport& report,
                                         const harness::FailedTrial& trial,
                                         const Minimized& minimized,
                                         const MinimizeOptions& options);

// From what failed in a run of verify to the smallest recording that still fails.

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

/// Writes the smaller session to options.output, and runs it. With fewer inputs it may fail under a
/// plainer drive, or earlier: so both are made smaller in turn.
[[nodiscard]] core::Result<Minimized> minimize_failing(const Failing& failing,
                                                       const MinimizeOptions& options,
                                                       const harness::ShrinkOptions& shrink,
                                                       const Prepared& prepared);

}  // namespace isotick::program
