#pragma once
// From the options of verify to what is verified: for the commands that verify.

#include "options.hpp"

#include <isotick/harness/verify.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>
#include <vector>

namespace isotick::program {

/// What `--loop` is for every loop with a constant dt.
inline constexpr const char* kAllLoops = "all";

/// The options with `--loop all` understood: a choice of loops, and no loop with options of its
/// own.
[[nodiscard]] core::Result<VerifyCommandOptions> with_loops_chosen(VerifyCommandOptions options);

/// What does not depend on the recording.
[[nodiscard]] core::Result<harness::VerifyOptions> verify_options(
    const VerifyCommandOptions& options, const Prepared& prepared);

/// The rest, for a recording with this head that `simulation` runs.
[[nodiscard]] core::Result<harness::VerifyOptions> how_to_verify(
    harness::VerifyOptions how, const VerifyCommandOptions& options, const Prepared& prepared,
    const replay::RecordingHead& head, const harness::SimulationName& simulation);

/// Why `--strict` fails a recording: empty where it does not, or was not asked to.
[[nodiscard]] std::vector<std::string> strict_reasons(const harness::VerifyReport& report,
                                                      const VerifyCommandOptions& options);

}  // namespace isotick::program
