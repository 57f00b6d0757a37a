#pragma once
// A run of verify in words.

#include "../commands/verify/verify_setup.hpp"
#include "../output/console.hpp"
#include "verify_run.hpp"

#include <string>

namespace isotick::program {

/// The failure that is shown whole: the first explained one, or one that crashed and was shrunk, or
/// the first. Requires that there is one.
[[nodiscard]] const harness::FailedTrial& foremost(const harness::VerifyReport& report);

/// The rows about it, and a line on the others; empty where no trial failed.
[[nodiscard]] std::string failures_text(const harness::VerifyReport& report,
                                        const CommonOptions& options);

/// The report on one recording; its last line is the verdict.
[[nodiscard]] std::string verified_text(const VerifiedRecording& one, const VerifyRun& run,
                                        const VerifyCommandOptions& options,
                                        const Console& console);

/// All of them, and what they came to.
[[nodiscard]] std::string verify_text(const VerifyRun& run, const VerifyCommandOptions& options,
                                      const Console& console);

}  // namespace isotick::program
