#pragma once
// Two runs of one trial that part, in words.

#include <isotick/harness/detail/explain/disagreement.hpp>

#include <string>
#include <string_view>

namespace isotick::harness {

/// The rows of a report about where the runs part, and in what. `result` is the trial's first
/// run, `more` says how to see fields that are not listed.
[[nodiscard]] std::string disagreement_rows(const Disagreement& found, const TrialResult& result,
                                            std::string_view more);

}  // namespace isotick::harness
