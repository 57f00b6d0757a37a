#pragma once
// What `isotick minimize` says it has done.

#include "../verify/verify_setup.hpp"

#include <isotick/harness/detail/shrink/minimize.hpp>
#include <isotick/harness/verify.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::program {

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
};

[[nodiscard]] std::string minimized_text(const harness::VerifyReport& report,
                                         const harness::FailedTrial& trial,
                                         const Minimized& minimized,
                                         const MinimizeOptions& options);

}  // namespace isotick::program
