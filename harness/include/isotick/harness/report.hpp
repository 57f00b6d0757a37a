#pragma once
// Reports in words, as the program prints them but for its options.

#include <isotick/harness/lockstep.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/harness/verify.hpp>

#include <string>

namespace isotick::harness {

/// The whole report: several lines, the last of them the verdict.
[[nodiscard]] std::string describe(const ReplayReport& report);

/// The first trial that failed (the one that is explained, if any is) as a replay of its own; then
/// what else speaks against the verdict *identical*, and the verdict.
[[nodiscard]] std::string describe(const VerifyReport& report);

/// The trial that failed first, or trial 0: what its peers did, what went wrong, and the verdict.
[[nodiscard]] std::string describe(const LockstepReport& report);

}  // namespace isotick::harness
