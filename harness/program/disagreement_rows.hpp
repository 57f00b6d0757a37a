#pragma once
// Two runs of one trial that part, in words.

#include <isotick/harness/disagreement.hpp>

#include <string>

namespace isotick::program {

/// The rows of a report about where the runs part, and in what. `result` is the trial's first run.
[[nodiscard]] std::string disagreement_rows(const harness::Disagreement& found,
                                            const harness::TrialResult& result);

}  // namespace isotick::program
