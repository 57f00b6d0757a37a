#pragma once
// What builds are held against: a recording, or its session as the usual build plays it.

#include "../judge/judge.hpp"

#include <isotick/core/result.hpp>

#include <string>

namespace isotick::harness::bisect {

struct Reference {
    Judge judge;
    bool recorded_again = false;  ///< the recorded hashes are those of another build
};

/// `usual` is the build that is right. Where it does not come to the recorded hashes it plays the
/// recorded inputs again, and its hashes are kept in the file `again`. Fails with `usage` where it
/// cannot play the session the same way twice.
[[nodiscard]] core::Result<Reference> find_reference(const JudgeOptions& options,
                                                     const SimulationName& usual,
                                                     const std::string& again);

}  // namespace isotick::harness::bisect
