#pragma once
// Reports, in one format each. All are made of the same model: VerifyRun, and harness::ReplayReport
// with what the user wanted to see.

#include "../commands/replay/replay_run.hpp"
#include "../commands/verify/verify_setup.hpp"
#include "../output/console.hpp"
#include "verify_run.hpp"

#include <span>
#include <string>

namespace isotick::program {

/// Each is in a file of its own, and in the table of reporters.cpp.
struct Reporter {
    const char* file;  ///< what its report is called in a folder
    std::string (*verify)(const VerifyRun& run, const VerifyCommandOptions& options,
                          const Console& console);
    std::string (*replay)(const Replayed& replayed, const ReplayOptions& options,
                          const Console& console);
};

/// All formats: a folder gets one report of each.
[[nodiscard]] std::span<const Reporter* const> reporters();

/// The one for stdout.
[[nodiscard]] const Reporter& reporter_of(const CommonOptions& options);

}  // namespace isotick::program
