#pragma once
// Recordings that a new build proposes in the place of those it does not reproduce.

#include "verify_setup.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

#include <string>

namespace isotick::program {

/// What a proposed recording is called: `s.isotick.pending` beside `s.isotick`.
inline constexpr const char* kPending = ".pending";

/// Records the session of `verified` again, as `NAME.pending`, where its nominal replay diverged,
/// the same way each time; says on the console what became of it. None is left where the build does
/// not reproduce the new one in the same trials: what is not deterministic is no golden. Fails
/// where nothing can be recorded or written.
[[nodiscard]] core::Result<void> propose(const Verified& verified,
                                         const VerifyCommandOptions& options,
                                         const harness::VerifyOptions& usual,
                                         const Prepared& prepared, Console& console);

}  // namespace isotick::program
