#pragma once
// Recordings that a new build proposes in the place of those it does not reproduce.

#include "verify_setup.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

#include <string>

namespace isotick::program {

/// What a proposed recording is called: `s.isotick.pending` beside `s.isotick`.
inline constexpr const char* kPending = ".pending";

/// Where the nominal replay of `verified` diverged identically in every process, records its
/// session again, verifies that in the same trials, and leaves it as `NAME.pending` if it is
/// identical. Says on the console what became of it. Fails where nothing can be recorded or
/// written.
[[nodiscard]] core::Result<void> propose(const Verified& verified,
                                         const VerifyCommandOptions& options,
                                         const harness::VerifyOptions& usual,
                                         const Prepared& prepared, Console& console);

}  // namespace isotick::program
