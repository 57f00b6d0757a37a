#pragma once
// A run of verify in words.

#include "../commands/verify/verify_setup.hpp"
#include "../output/console.hpp"
#include "verify_run.hpp"

#include <string>

namespace isotick::program {

/// The report on one recording; its last line is the verdict.
[[nodiscard]] std::string verified_text(const VerifiedRecording& one, const VerifyRun& run,
                                        const VerifyCommandOptions& options,
                                        const Console& console);

/// All of them, and what they came to.
[[nodiscard]] std::string verify_text(const VerifyRun& run, const VerifyCommandOptions& options,
                                      const Console& console);

}  // namespace isotick::program
