#pragma once
// Whether trials that were all identical could have differed.

#include <isotick/harness/verify.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// Why such a run proves nothing, in words; empty where it does. `inputs_mattered`: without inputs
/// the hashes are others.
[[nodiscard]] std::vector<std::string> why_vacuous(const VerifyReport& report,
                                                   bool inputs_mattered);

}  // namespace isotick::harness
