#pragma once
// What comes after a replay that diverged.

#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/replay.hpp>

#include <string_view>

namespace isotick::harness {

/// Runs the diverged trial of `report` again, `where` as words in a sentence, and the nominal one;
/// explains a divergence that is the same again, and makes any other nondeterministic.
[[nodiscard]] core::Result<void> look_into_divergence(ReplayReport& report, const TrialRunner& run,
                                                      const ExplainOptions& how,
                                                      std::string_view where);

}  // namespace isotick::harness
