#pragma once
// What revisions are held against: the recorded hashes, or those of a build that is right.

#include "../judge/judge.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulations/simulation_name.hpp>

#include <string>

namespace isotick::harness::bisect {

/// Records the session of `options.recording` again, from its inputs, with `build`, into a file at
/// `path`, which it replaces. Inputs age well, hashes do not: a state is soon made otherwise.
[[nodiscard]] core::Result<void> record_reference(const JudgeOptions& options,
                                                  const SimulationName& build,
                                                  const std::string& path);

}  // namespace isotick::harness::bisect
